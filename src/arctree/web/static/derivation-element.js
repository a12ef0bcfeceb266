// @ts-check
/**
 * <arctree-derivation>: one arc-standard derivation, seen as the building of its ordered tree.
 *
 *     <script type="module" src="derivation-element.js"></script>
 *     <arctree-derivation src="exploration.json"></arctree-derivation>
 *
 * or with the exploration as JSON in a child `<script type="application/json">`, or set as the
 * property `exploration`. Properties: `step`, `actions`, `focused`, `stage`, `place`; `marked`, the
 * positions whose arcs stand out; `score`, and `model`, what the model is called whose opinion is
 * shown, or null.
 * Events: `arctree-step` with {step, actions, stage, place}, `arctree-focus` with {position}.
 * With the attribute `keys="focus"`, keys work only while the focus is inside.
 */
import { describeMoment } from "./describe.js";
import { ActionButtons, Alternatives, Transport } from "./controls.js";
import { elementStyle } from "./element-style.js";
import { commandOf, helpDialog, keepOneTab, obey } from "./keys.js";
import { DerivationState, STAGES } from "./state.js";
import { checkExploration, readSource } from "./source.js";
import { html } from "./svg.js";
import { ArcsView } from "./views/arcs-view.js";
import { isStill, keepWordsInView, positionsOf } from "./views/attention.js";
import { wordColumns } from "./views/columns.js";
import { InvariantsView } from "./views/invariants-view.js";
import { LiftingView } from "./views/lifting-view.js";
import { TableView } from "./views/table-view.js";
import { TreesView } from "./views/trees-view.js";

const STEP_TIME = 1000;

/** The element used last; keys pressed nowhere in particular are its own. */
/** @type {ArctreeDerivation|null} */
let lastUsed = null;

export class ArctreeDerivation extends HTMLElement {
  constructor() {
    super();
    /** @type {DerivationState|null} */
    this.state = null;
    this.timer = 0;
    this.rate = 1;
    /** @type {null | ((actions: string) => Promise<number[][]>)} */
    this.scorer = null;
    /** @type {string|null} */
    this.modelTitle = "the model";
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [elementStyle()];
    this.build(root);
    this.listen(root);
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.pressed(event);
  }

  connectedCallback() {
    for (const name of ["model", "exploration", "score", "actions", "step", "focused", "marked"]) this.adopt(name);
    document.addEventListener("keydown", this.onKey);
    if (this.getAttribute("keys") !== "focus") lastUsed ??= this;
    this.resized = new ResizeObserver(() => this.fit());
    this.resized.observe(this.scroller);
    if (this.state === null) this.load();
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.onKey);
    this.resized?.disconnect();
    this.pause();
    if (lastUsed === this) lastUsed = null;
  }

  static get observedAttributes() {
    return ["src"];
  }

  attributeChangedCallback() {
    if (this.isConnected && this.resized) this.load(); // not while it is first put in
  }

  // ---- what a page sees of it ----

  get exploration() {
    return this.state?.exploration ?? null;
  }

  set exploration(exploration) {
    if (exploration) checkExploration(exploration);
    this.pause();
    this.state = exploration ? new DerivationState(exploration, this.modelTitle) : null;
    this.show();
    this.ask();
  }

  get step() {
    return this.state?.step ?? 0;
  }

  set step(step) {
    if (!this.state) return;
    if (step > 0) this.state.stage = "derivation";
    this.change((state) => {
      state.step = Math.max(0, Math.min(state.last, Math.trunc(Number(step)) || 0));
    });
  }

  get actions() {
    return this.state?.actions ?? "";
  }

  /** A derivation that breaks off is continued; an illegal one is an Error; null is the gold one. */
  set actions(actions) {
    if (!this.state || actions === this.state.actions) return;
    this.change((state) => {
      state.show(actions ?? state.gold, state.step);
      state.stage = "derivation";
      state.past = [];
      state.future = [];
    });
  }

  /** @returns {number|null} */
  get focused() {
    return this.state?.focused ?? null;
  }

  set focused(position) {
    this.focusOn(position === null ? [] : [position]);
  }

  get stage() {
    return this.state?.stage ?? "derivation";
  }

  set stage(stage) {
    if (this.state?.lifting && STAGES.includes(stage)) this.goTo(stage, 0);
  }

  get place() {
    return this.state?.place ?? 0;
  }

  set place(place) {
    if (this.state) this.goTo(this.state.stage, place);
  }

  get score() {
    return this.scorer;
  }

  set score(scorer) {
    this.scorer = scorer;
    this.ask();
  }

  get model() {
    return this.modelTitle;
  }

  set model(title) {
    this.modelTitle = title;
    if (!this.state) return;
    this.state.model = title;
    this.judge(this.state);
    this.ask();
  }

  /** @returns {number[]} */
  get marked() {
    return [...(this.state?.marked ?? [])];
  }

  set marked(positions) {
    if (!this.state) return;
    this.state.marked = new Set(positions);
    this.table.mark(this.state);
    this.update(false);
  }

  get isPlaying() {
    return this.timer !== 0;
  }

  play() {
    if (!this.state || this.isPlaying) return;
    const { state } = this;
    const isOver = state.position === state.length - 1 && (!state.lifting || state.stage === "returns");
    if (isOver) this.goTo(state.lifting ? "crossings" : "derivation", 0);
    this.timer = window.setTimeout(() => this.beat(), isOver ? STEP_TIME / this.rate : 150);
    this.transport.update(state, true);
  }

  pause() {
    window.clearTimeout(this.timer);
    this.timer = 0;
    if (this.state) this.transport.update(this.state, false);
  }

  // ---- how it is made ----

  /** @param {ShadowRoot} root */
  build(root) {
    this.transport = new Transport({
      first: () => this.toEnd(0), last: () => this.toEnd(1), back: () => this.moved(-1), on: () => this.moved(1),
      play: () => (this.isPlaying ? this.pause() : this.play()),
      undo: () => this.change((state) => state.undo()), redo: () => this.change((state) => state.redo()),
      seek: (/** @type {number} */ value) => this.state && this.goTo(this.state.stage, value),
      speed: (/** @type {number} */ value) => { this.rate = value; },
      help: () => this.help.showModal(),
    });
    this.buttons = new ActionButtons((action) => this.act(action));
    this.alternatives = new Alternatives({
      alternative: (/** @type {number} */ direction) => this.change((state) => state.alternative(direction)),
      gold: () => this.change((state) => state.backToGold()),
    });
    this.lifting = new LiftingView((stage, place) => this.goTo(stage, place));
    this.arcs = new ArcsView();
    this.trees = new TreesView();
    this.table = new TableView();
    this.invariants = new InvariantsView();
    this.help = helpDialog();
    this.told = html("p", { class: "unseen", "aria-live": "polite", "data-told": "" });
    this.reasons = html("p", { class: "reason", role: "status" });
    this.pictures = html("div", { class: "pictures" }, this.arcs.element, this.lifting.figure, this.trees.element);
    const manner = { class: "scroller", role: "group", "aria-label": "Pictures of this moment" };
    this.scroller = html("div", manner, this.pictures);
    this.below = html(
      "div", { class: "below" },
      html("div", { class: "side" }, this.alternatives.element, this.invariants.element), this.table.element,
    );
    this.empty = html("p", { class: "empty" }, "There is no sentence yet.");
    this.body = html(
      "div", { class: "body" },
      this.lifting.element, this.transport.element, this.scroller, this.buttons.element, this.reasons, this.below,
    );
    root.append(this.empty, this.body, this.told, this.help);
  }

  /** @param {ShadowRoot} root */
  listen(root) {
    root.addEventListener("pointerover", (event) => this.pointed(event.target));
    this.addEventListener("pointerleave", () => this.focusOn(this.heldFocus()));
    root.addEventListener("focusin", (event) => {
      const target = /** @type {Element} */ (event.target);
      const view = target.closest("[data-view]");
      if (view && target.hasAttribute("data-item") && target.localName !== "tr") keepOneTab(view, target);
      this.focusOn(positionsOf(target));
    });
    root.addEventListener("focusout", () => this.focusOn([]));
    this.addEventListener("pointerdown", () => { lastUsed = this; });
    this.addEventListener("focusin", () => { lastUsed = this; });
    this.table.body.addEventListener("click", (/** @type {any} */ event) => {
      const row = event.target.closest("tr");
      if (row) this.goTo("derivation", Number(row.dataset.step));
    });
  }

  async load() {
    this.show();
    try {
      const exploration = await readSource(this);
      if (exploration !== null) this.exploration = exploration;
    } catch (error) {
      this.exploration = null;
      this.empty.textContent = `The derivation could not be read: ${/** @type {Error} */ (error).message}`;
    }
  }

  /** A property that was set before the element was known. */
  adopt(/** @type {string} */ name) {
    if (!Object.hasOwn(this, name)) return;
    const value = /** @type {any} */ (this)[name];
    delete (/** @type {any} */ (this)[name]);
    /** @type {any} */ (this)[name] = value;
  }

  // ---- from one moment to the next ----

  /** Show another sentence. */
  show() {
    const { state } = this;
    this.body.hidden = state === null;
    this.empty.hidden = state !== null;
    if (state === null) return;
    this.table.reset(state, this.room() < 620);
    this.reasons.textContent = "";
    this.lit = [];
    this.placeColumns(wordColumns(state, this.room()));
    this.scroller.scrollLeft = this.columns.rtl ? this.columns.total : 0;
    this.scrollToActive(false);
  }

  /** Give the pictures these columns. */
  placeColumns(/** @type {import("./views/columns.js").Columns} */ columns) {
    this.columns = columns;
    for (const view of [this.arcs, this.trees, this.lifting]) view.reset(this.state, columns);
    this.update(false);
  }

  /** Spread or draw together, when the room has changed. */
  fit() {
    const { state, columns } = this;
    if (state === null || !columns) return;
    const room = this.room();
    const better = wordColumns(state, room);
    // A scroll bar that comes and goes shall not make the words jump.
    const change = Math.abs(better.total - columns.total);
    if (change > 24 || (change > 0 && columns.total > room)) this.placeColumns(better);
    this.scrollToActive(false);
  }

  room() {
    return this.scroller.clientWidth || this.clientWidth || window.innerWidth - 40;
  }

  /**
   * Show the present moment in all views.
   * @param {boolean} isMoving
   */
  update(isMoving) {
    const { state } = this;
    if (state === null) return;
    const isDerivation = state.stage === "derivation";
    this.buttons.element.hidden = !isDerivation;
    this.below.hidden = !isDerivation;
    this.trees.element.hidden = !isDerivation;
    this.arcs.update(state);
    this.lifting.update(state);
    if (isDerivation) {
      this.trees.update(state, isMoving && !isStill());
      this.table.update(state);
      this.buttons.update(state);
      this.alternatives.update(state);
      this.invariants.update(state);
    }
    this.transport.update(state, this.isPlaying);
    this.light();
    for (const view of [this.arcs.element, this.trees.trees, this.trees.buffer]) keepOneTab(view);
    this.told.textContent = this.sentence();
  }

  /** The moment in words. */
  sentence() {
    const { state } = this;
    if (state === null) return "";
    if (state.stage !== "derivation") return this.lifting.text.textContent;
    return describeMoment(state);
  }

  /**
   * Change the state, show it, and tell the page.
   * @param {(state: DerivationState) => any} alter
   */
  change(alter) {
    const { state } = this;
    if (state === null) return;
    const before = [state.step, state.actions, state.stage, state.place];
    alter(state);
    const after = [state.step, state.actions, state.stage, state.place];
    if (after.every((value, index) => value === before[index])) {
      this.transport.update(state, this.isPlaying);
      return;
    }
    this.reasons.textContent = "";
    this.update(true);
    requestAnimationFrame(() => this.scrollToActive(true));
    if (after[1] !== before[1]) this.ask();
    const { step, actions, stage, place } = state;
    this.tell("arctree-step", { step, actions, stage, place });
  }

  /**
   * @param {string} name
   * @param {object} detail
   */
  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }));
  }

  /**
   * @param {import("./state.js").Stage} stage
   * @param {number} position
   */
  goTo(stage, position) {
    this.change((state) => {
      state.stage = state.lifting ? stage : "derivation";
      state.position = position;
    });
  }

  /** One place on or back. */
  moved(/** @type {number} */ direction) {
    this.pause();
    this.change((state) => state.move(direction));
  }

  /** To the beginning (0) or the end (1) of the stage; once there, of the next one. */
  toEnd(/** @type {number} */ end) {
    this.pause();
    this.change((state) => {
      const target = end ? state.length - 1 : 0;
      if (state.position === target && state.lifting && state.move(end ? 1 : -1)) {
        state.position = end ? state.length - 1 : 0;
      } else state.position = target;
    });
  }

  act(/** @type {string} */ action) {
    this.pause();
    const { state } = this;
    if (state?.stage !== "derivation") return;
    let reason = null;
    this.change((changed) => { reason = changed.act(action); });
    const name = { S: "SHIFT", L: "LEFTARC", R: "RIGHTARC" }[action];
    if (reason !== null) this.reasons.textContent = `${name} is not legal here: ${reason}.`;
  }

  /** One step of playing. */
  beat() {
    const { state } = this;
    if (state === null) return;
    this.change((changed) => changed.move(1));
    const isOver = state.position === state.length - 1 && (!state.lifting || state.stage === "returns");
    if (isOver) this.pause();
    else this.timer = window.setTimeout(() => this.beat(), STEP_TIME / this.rate);
  }

  /** Ask for the probabilities along the derivation shown. */
  async ask() {
    const { state, scorer } = this;
    if (state === null || !scorer || state.model === null || state.scoresAt(state.last - 1) !== null) return;
    const { actions } = state;
    try {
      const rows = await scorer(actions);
      if (this.state !== state || state.actions !== actions || !rows) return;
      state.scored = { actions, rows };
      this.judge(state);
    } catch {
      // Without the model's opinion everything else still works.
    }
  }

  /** Show what the model thinks. */
  judge(/** @type {DerivationState} */ state) {
    this.table.mark(state);
    this.buttons.update(state);
  }

  // ---- focus, keys, scrolling ----

  /** @param {any} target */
  pointed(target) {
    const positions = positionsOf(target);
    this.focusOn(positions.length > 0 ? positions : this.heldFocus());
  }

  /** What the keyboard's focus looks at. */
  heldFocus() {
    const active = this.shadowRoot?.activeElement;
    return active ? positionsOf(active) : [];
  }

  /** @param {number[]} positions a word, and the other end of its arc */
  focusOn(positions) {
    const { state } = this;
    if (state === null) return;
    const [position = null] = positions;
    const isOther = position !== state.focused;
    if (!isOther && String(positions) === String(this.lit)) return;
    state.focused = position;
    this.lit = positions;
    this.light();
    if (state.stage === "derivation") this.invariants.look(state);
    if (isOther) this.tell("arctree-focus", { position });
  }

  light() {
    const positions = this.state?.focused ? this.lit ?? [this.state.focused] : [];
    this.arcs.light(positions);
    this.trees.light(positions);
    this.table.light(positions);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const path = event.composedPath();
    const isInside = path.includes(this);
    const isNowhere = event.target === document.body || event.target === document.documentElement;
    if (!isInside && (!isNowhere || lastUsed !== this || this.getAttribute("keys") === "focus")) return;
    if (this.help.open || this.state === null) return;
    const command = commandOf(event);
    if (command !== null && obey(this, command, /** @type {Element} */ (path[0]))) event.preventDefault();
  }

  /** Keep the words that the next transition works on in view. */
  scrollToActive(/** @type {boolean} */ isMoving) {
    const { state, columns, scroller } = this;
    if (state !== null && columns) keepWordsInView(scroller, columns, state, isMoving && !isStill());
  }
}

if (!customElements.get("arctree-derivation")) customElements.define("arctree-derivation", ArctreeDerivation);
