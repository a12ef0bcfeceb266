// @ts-check
/**
 * The derivation as a table, like the paper's Table 2: step, stack, buffer, action, relation
 * added. Rows are made once a derivation; after a what-if, those before it stay.
 *
 * @typedef {import("../state.js").DerivationState} DerivationState
 * @typedef {import("../transitions.js").Configuration} Configuration
 */
import { ACTIONS, NAMES, arcOf } from "../transitions.js";
import { sharedPrefix } from "../state.js";
import { html, setAttributes, setText, shortenText } from "../svg.js";
import { primes, wordText } from "./columns.js";

const TABLE_COLUMNS = ["step", "stack", "waiting", "action", "relation", "chance"];
const ROWS_AT_ONCE = 24;
const SHOWN_TREES = 4;
const SHOWN_WORDS = 5;
const CELL_WORD = 110;
const NARROW_WORD = 60;

export class TableView {
  constructor() {
    this.body = html("tbody");
    this.chance = html("th", { scope: "col", class: "chance" }, "Model");
    const headings = ["Step", "Stack", "Buffer", "Action", "Relation added"];
    this.headings = html(
      "tr", {}, ...headings.map((name) => html("th", { scope: "col" }, name)), this.chance,
    );
    this.table = html(
      "table", {},
      html("caption", { class: "unseen" }, "The derivation, step by step"),
      html("colgroup", {}, ...TABLE_COLUMNS.map((kind) => html("col", { class: kind }))),
      html("thead", {}, this.headings),
      this.body,
    );
    this.element = html(
      "div",
      { class: "table-frame", "data-view": "table", role: "region", "aria-label": "Derivation table", tabindex: "-1" },
      this.table,
    );
    /** @type {any[]} */
    this.rows = [];
    this.actions = "";
    this.shownStep = -1;
    this.shownTaken = "";
    /** @type {any} */
    this.words = null;
  }

  /**
   * @param {DerivationState} state
   * @param {boolean} isNarrow
   */
  reset(state, isNarrow) {
    this.rows = [];
    this.actions = "";
    this.shownStep = -1;
    this.direction = state.exploration.rtl ? "rtl" : null;
    this.words = state.words.map((word) => shortenText(wordText(word), 14, isNarrow ? NARROW_WORD : CELL_WORD));
    this.body.replaceChildren();
    this.element.scrollTop = 0;
  }

  /**
   * @param {DerivationState} state
   */
  update(state) {
    this.arrange(state);
    this.markTaken(state);
    if (this.shownStep === state.step) return;
    const before = this.rows[this.shownStep];
    if (before) setAttributes(before, { "aria-current": null, tabindex: "-1" });
    const row = this.rows[state.step];
    setAttributes(row, { "aria-current": "step", tabindex: "0" });
    this.shownStep = state.step;
    // Where a row is, is known once all is laid out; asking now would cost a layout more.
    requestAnimationFrame(() => this.keepInView(row));
  }

  /** Make the rows that are not there yet. */
  arrange(/** @type {DerivationState} */ state) {
    if (this.actions === state.actions && this.rows.length > state.step) return;
    const kept = this.rows.length === 0 ? 0 : sharedPrefix(this.actions, state.actions);
    for (const row of this.rows.splice(kept)) row.remove();
    if (this.shownStep >= kept) this.shownStep = -1;
    this.actions = state.actions;
    // After a what-if, the rows far away can wait until the picture is there.
    this.addRows(state, kept === 0 ? state.last : Math.min(state.last, state.step + ROWS_AT_ONCE));
    if (this.rows.length <= state.last) {
      const { actions } = state;
      setTimeout(() => {
        if (this.actions === actions) this.addRows(state, state.last);
      });
    }
  }

  /**
   * Add the rows up to a step.
   * @param {DerivationState} state
   * @param {number} last
   */
  addRows(state, last) {
    const added = document.createDocumentFragment();
    const first = this.rows.length;
    for (let step = first; step <= last; step += 1) {
      const row = this.row(state, step);
      this.rows.push(row);
      added.append(row);
    }
    this.body.append(added);
    this.mark(state, first);
    this.markTaken(state);
  }

  /**
   * Mark where the tree is left, and what the model thinks, from a row on.
   * @param {DerivationState} state
   * @param {number} [first]
   */
  mark(state, first = 0) {
    let hasScores = first > 0 && this.table.classList.contains("scored");
    setText(this.chance, columnTitle(state.model ?? ""));
    const warning = `${state.model} would leave the gold derivation here`;
    const parting = state.isGold ? -1 : sharedPrefix(state.gold, state.actions);
    for (let step = first; step < this.rows.length; step += 1) {
      const row = this.rows[step];
      const note = state.left === step ? "leaves the tree" : step === parting ? "goes another way" : "";
      row.classList.toggle("marked", state.marked.has(Number(row.dataset.position)) && state.actions[step] !== "S");
      row.classList.toggle("leaving", state.left === step);
      row.classList.toggle("lost", state.left !== null && step > state.left);
      const scores = state.scoresAt(step);
      const index = ACTIONS.indexOf(/** @type {any} */ (state.actions[step]));
      const isKnown = scores !== null && index >= 0;
      hasScores ||= isKnown;
      tableNotes(row, note, isKnown ? scores[index] : null, isKnown && state.modelLeaves(step) ? warning : "");
    }
    this.table.classList.toggle("scored", hasScores);
    // What is added may make rows higher, and push the present one out of sight.
    requestAnimationFrame(() => this.keepInView(this.rows[this.shownStep]));
  }

  /** Tell what was taken by hand from how it would go on. */
  markTaken(/** @type {DerivationState} */ state) {
    const shown = `${state.taken} ${this.rows.length}`;
    if (shown === this.shownTaken) return;
    this.shownTaken = shown;
    this.rows.forEach((row, step) => {
      const isContinued = state.taken > 0 && step >= state.taken && step < state.last;
      row.classList.toggle("continued", isContinued);
      setAttributes(row.children[3], { title: isContinued ? "how it goes on from what was done by hand" : null });
    });
  }

  /**
   * @param {DerivationState} state
   * @param {number} step
   */
  row(state, step) {
    const configuration = state.configurations[step];
    const action = state.actions[step];
    const arc = action ? arcOf(configuration, action) : null;
    const position = arc ? arc[1] : action === "S" ? configuration.next : null;
    const name = action ? NAMES[/** @type {"S"|"L"|"R"} */ (action)] : "DONE";
    return html(
      "tr",
      { tabindex: "-1", "data-item": "", "data-step": step, "data-position": position, "data-other": arc ? arc[0] : null },
      html("th", { scope: "row" }, String(step)),
      html("td", { class: "stack", dir: this.direction }, ...this.stackItems(configuration)),
      html("td", { class: "waiting", dir: this.direction }, ...this.bufferItems(configuration)),
      html("td", { class: "action" }, html("span", { class: name }, name)),
      html("td", { class: "relation" }, ...(arc ? [this.word(arc[0]), " → ", this.word(arc[1])] : [])),
      html("td", { class: "chance" }),
    );
  }

  /** @param {number} position */
  word(position) {
    return html("bdi", {}, position === 0 ? "root" : this.words[position - 1]);
  }

  /** @param {Configuration} configuration */
  stackItems({ stack, arcs }) {
    const items = [html("span", { class: stack.length > 3 ? "chip root deep" : "chip root" }, "root")];
    const hidden = stack.length - 1 - SHOWN_TREES;
    if (hidden > 0) items.push(html("span", { class: "more deep" }, `… ${hidden} more …`));
    const shown = stack.slice(1).slice(-SHOWN_TREES);
    if (stack.length > 3) items.push(html("span", { class: "more narrow" }, `… ${stack.length - 2} more`));
    for (const [index, position] of shown.entries()) {
      const isDeep = shown.length - index > 2;
      let taken = 0;
      for (const [head] of arcs) if (head === position) taken += 1;
      items.push(
        html(
          "span", { class: isDeep ? "chip deep" : "chip", "data-chip": position },
          html("i", {}, `t${primes(taken)}`), html("sub", {}, this.words[position - 1]),
        ),
      );
    }
    return items;
  }

  /** @param {Configuration} configuration */
  bufferItems({ next: first, size }) {
    const items = [];
    const end = Math.min(size, first + SHOWN_WORDS - 1);
    for (let position = first; position <= end; position += 1) {
      const kind = position - first > 1 ? "unread deep" : "unread";
      items.push(html("span", { class: kind, "data-chip": position }, this.words[position - 1]));
    }
    if (end < size) items.push(html("span", { class: "more deep" }, `… ${size - end} more`));
    if (size - first > 1) items.push(html("span", { class: "more narrow" }, `… ${size - first - 1} more`));
    if (items.length === 0) items.push(html("span", { class: "more" }, "empty"));
    return items;
  }

  /**
   * Scroll the frame, and nothing around it, so that a row is seen.
   * @param {HTMLElement|undefined} row
   */
  keepInView(row) {
    const frame = this.element;
    if (!row?.isConnected || frame.clientHeight === 0) return;
    const head = this.headings.offsetHeight;
    const top = row.offsetTop - head;
    const bottom = row.offsetTop + row.offsetHeight;
    if (top < frame.scrollTop) frame.scrollTop = Math.max(0, top - row.offsetHeight);
    else if (bottom > frame.scrollTop + frame.clientHeight) {
      frame.scrollTop = bottom - frame.clientHeight + row.offsetHeight;
    }
  }

  /**
   * Light up the rows in which a word is shifted or attached.
   * @param {number[]} positions
   */
  light(positions) {
    const [focused] = positions;
    for (const lit of this.body.querySelectorAll(".lit")) lit.classList.remove("lit");
    if (focused === undefined) return;
    for (const row of this.rows) {
      if (Number(row.getAttribute("data-position")) === focused) row.classList.add("lit");
    }
    const row = this.rows[this.shownStep];
    for (const chip of row?.querySelectorAll("[data-chip]") ?? []) {
      if (positions.includes(Number(chip.getAttribute("data-chip")))) chip.classList.add("lit");
    }
  }
}

/**
 * @param {HTMLElement} row
 * @param {string} note on the action
 * @param {number|null} probability of the action taken
 * @param {string} warning that the model would leave the tree
 */
function tableNotes(row, note, probability, warning) {
  const [action, , chance] = [...row.children].slice(3);
  action.querySelector(".note")?.remove();
  if (note !== "") action.append(html("span", { class: "note" }, note));
  row.classList.toggle("model-leaves", warning !== "");
  if (probability === null) {
    chance.replaceChildren();
    return;
  }
  const bar = html("span");
  bar.style.setProperty("--share", String(probability));
  chance.replaceChildren(html("span", { class: "meter" }, bar), percentText(probability));
  if (warning !== "") chance.append(" ", html("span", { class: "note", title: warning }, "would leave"));
}

/** @param {string} title such as "the English model" */
function columnTitle(title) {
  const name = title.replace(/^the /, "");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/**
 * A probability as it is read: never rounded to certainty.
 * @param {number} probability
 */
export function percentText(probability) {
  if (probability > 0 && probability < 0.001) return "<0.1%";
  if (probability < 1 && probability > 0.999) return ">99.9%";
  const percent = probability * 100;
  return `${percent >= 10 || percent === 0 ? Math.round(percent * 10) / 10 : percent.toFixed(1)}%`;
}
