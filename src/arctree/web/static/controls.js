// @ts-check
/**
 * What moves a derivation: the transport (first, back, play, on, last, slider, speed), the
 * three actions with what each would do, and the other derivations of the same tree.
 *
 * @typedef {import("./state.js").DerivationState} DerivationState
 */
import { NAMES } from "./transitions.js";
import { count, rank } from "./oracle.js";
import { html, setAttributes, setText, svg } from "./svg.js";
import { wordText } from "./views/columns.js";
import { percentText } from "./views/table-view.js";

const ICONS = {
  first: "M5 4v12M16 4l-8 6 8 6z",
  back: "M14 4l-8 6 8 6z",
  play: "M5 3l12 7-12 7z",
  pause: "M5 4h3v12H5zM12 4h3v12h-3z",
  on: "M6 4l8 6-8 6z",
  last: "M15 4v12M4 4l8 6-8 6z",
  undo: "M4 8h8a4 4 0 0 1 0 8H8M4 8l4-4M4 8l4 4",
  redo: "M16 8H8a4 4 0 0 0 0 8h4M16 8l-4-4M16 8l-4 4",
};
const OUTLINED = ["undo", "redo"];

export class Transport {
  /** @param {Record<string, (value?: any) => void>} commands */
  constructor(commands) {
    this.buttons = {
      first: commandButton("first", "First step (Home)", commands.first, icon("first")),
      back: commandButton("back", "One step back (←)", commands.back, icon("back")),
      play: commandButton("play", "Play (space)", commands.play, icon("play")),
      on: commandButton("on", "One step on (→)", commands.on, icon("on")),
      last: commandButton("last", "Last step (End)", commands.last, icon("last")),
      undo: commandButton("undo", "Undo (ctrl-z)", commands.undo, icon("undo")),
      redo: commandButton("redo", "Redo (ctrl-shift-z)", commands.redo, icon("redo")),
    };
    this.slider = html("input", {
      type: "range", min: 0, step: 1, value: 0, "aria-label": "Step",
      input: (/** @type {any} */ event) => commands.seek(Number(event.target.value)),
    });
    this.number = html("output", { class: "number" });
    let isPointed = false;
    this.speed = html(
      "select",
      {
        "aria-label": "Speed", title: "Speed",
        pointerdown: () => { isPointed = true; },
        keydown: () => { isPointed = false; },
        change: (/** @type {any} */ event) => {
          commands.speed(Number(event.target.value));
          if (isPointed) this.buttons.play.focus({ preventScroll: true }); // the keys are the derivation's again
        },
      },
      ...[0.5, 1, 2, 4].map((speed) => html("option", { value: speed, selected: speed === 1 }, `${speed}×`)),
    );
    this.help = commandButton("help", "Help (?)", commands.help, "?");
    const { first, back, play, on, last, undo, redo } = this.buttons;
    this.element = html(
      "div", { class: "transport", role: "toolbar", "aria-label": "Steps" },
      html("span", { class: "group" }, first, back, play, on, last),
      html("span", { class: "seek" }, this.slider, this.number),
      html("span", { class: "group" }, this.speed, undo, redo, this.help),
    );
  }

  /**
   * @param {DerivationState} state
   * @param {boolean} isPlaying
   */
  update(state, isPlaying) {
    const last = state.length - 1;
    const { position } = state;
    setAttributes(this.slider, { max: last, "aria-valuetext": `${position} of ${last}` });
    this.slider.value = String(position);
    const share = last > 0 ? position / last : 1;
    this.slider.style.setProperty("--share", String(share));
    const isDerivation = state.stage === "derivation";
    setText(this.number, isDerivation ? `${position} / ${last}` : `${position + 1} / ${last + 1}`);
    const isFirst = position === 0 && (!state.lifting || state.stage === "crossings");
    const isLast = position === last && (!state.lifting || state.stage === "returns");
    softDisable(this.buttons.first, isFirst);
    softDisable(this.buttons.back, isFirst);
    softDisable(this.buttons.on, isLast);
    softDisable(this.buttons.last, isLast);
    softDisable(this.buttons.undo, state.past.length === 0);
    softDisable(this.buttons.redo, state.future.length === 0);
    const { play } = this.buttons;
    if (play.dataset.shown !== String(isPlaying)) {
      play.dataset.shown = String(isPlaying);
      play.replaceChildren(icon(isPlaying ? "pause" : "play"));
      const label = isPlaying ? "Pause" : "Play";
      setAttributes(play, { "aria-label": label, title: `${label} (space)` });
    }
  }
}

export class ActionButtons {
  /** @param {(action: string) => void} act */
  constructor(act) {
    this.buttons = /** @type {const} */ (["S", "L", "R"]).map((action) => actionButton(action, act));
    this.element = html(
      "div", { class: "actions", role: "group", "aria-label": "Actions" },
      ...this.buttons.map(({ button }) => button),
    );
  }

  /** @param {DerivationState} state */
  update(state) {
    const options = state.options();
    const highest = Math.max(...options.map(({ probability }) => probability ?? 0));
    const favourite = state.modelLeaves(state.step)
      ? `${state.model} would leave the gold derivation here`
      : `${state.model}’s choice`;
    options.forEach((option, index) => {
      const { button, effect, verdict, chance, bar, percent } = this.buttons[index];
      const isLegal = option.obstacle === null;
      setAttributes(button, { "data-next": isLegal && option.isNext ? "" : null });
      softDisable(button, !isLegal);
      button.classList.toggle("oracle", option.isOracle);
      button.classList.toggle("keeps", option.keeps && !option.isOracle);
      button.classList.toggle("loses", isLegal && option.cost > 0);
      effect.replaceChildren(...effectOf(state, option));
      const isFavourite = option.probability !== null && option.probability === highest;
      verdict.replaceChildren(...verdictOf(state, option));
      if (isFavourite) verdict.append(html("span", { class: "favourite" }, favourite));
      chance.hidden = option.probability === null;
      if (option.probability !== null) {
        bar.style.setProperty("--share", String(option.probability));
        setText(percent, percentText(option.probability));
        setAttributes(chance, { "aria-label": `${state.model} gives ${percentText(option.probability)}` });
      }
    });
  }
}

export class Alternatives {
  /** @param {Record<string, (value?: any) => void>} commands */
  constructor(commands) {
    this.text = html("span", { class: "which" });
    this.same = html("p", { class: "same" });
    const move = (/** @type {number} */ direction) => () => commands.alternative(direction);
    this.before = commandButton("previous-derivation", "Previous derivation", move(-1), icon("back"));
    this.after = commandButton("next-derivation", "Next derivation", move(1), icon("on"));
    this.gold = commandButton("gold", "", commands.gold, "Back to gold");
    this.notice = html("p", { class: "notice", role: "status" });
    this.element = html(
      "section", { class: "card alternatives", "aria-label": "Derivations of this tree" },
      html("h3", {}, "Derivations"),
      html("div", { class: "row" }, this.before, this.text, this.after, this.gold),
      this.notice,
      this.same,
    );
    this.shown = "";
  }

  /** @param {DerivationState} state */
  update(state) {
    if (this.heads !== state.heads) {
      this.heads = state.heads;
      this.total = count(state.heads);
      this.shown = "";
    }
    this.tell(state);
    if (this.shown === state.actions) return;
    this.shown = state.actions;
    const total = this.total ?? 1n;
    const isDerivation = state.left === null;
    const place = isDerivation ? rank(state.heads, state.actions) + 1n : 0n;
    const only = total === 1n;
    setText(
      this.text,
      !isDerivation ? "What if: not a derivation of the tree"
        : only ? "The only derivation of this tree"
        : `Derivation ${bigNumber(place)} of ${bigNumber(total)}`,
    );
    this.before.hidden = this.after.hidden = only || !isDerivation;
    softDisable(this.before, place <= 1n);
    softDisable(this.after, place >= total);
    this.gold.hidden = state.isGold;
    this.same.classList.toggle("away", !isDerivation);
    const isSame = state.missedArcs().length === 0;
    this.same.replaceChildren(
      html("span", { class: isSame ? "tick" : "tick broken" }, isSame ? "✓" : "✕"),
      only && state.isGold
        ? " Every head has its dependents on one side, so their order is fixed."
        : " T(D) is the same in all of them: played to the end, " +
          `this one builds the same tree, ${state.size} of ${state.size} arcs.`,
    );
  }

  /** Where a what-if stands. */
  tell(/** @type {DerivationState} */ state) {
    const isLeft = state.left !== null;
    this.notice.classList.toggle("alarm", state.hasLeft);
    this.notice.hidden = state.isGold;
    if (state.isGold) return;
    const parts = [];
    if (!isLeft) parts.push("Another derivation of the same tree.");
    else if (!state.hasLeft) parts.push(`This derivation will leave the tree at step ${state.left}.`);
    else parts.push(...lossText(state));
    if (isLeft) {
      const kept = state.size - state.missedArcs().length;
      parts.push(` Played to the end, it builds another tree, with ${kept} of the ${state.size} arcs.`);
    }
    const told = parts.map((part) => (typeof part === "string" ? part : part.textContent)).join("");
    if (told !== this.notice.textContent) this.notice.replaceChildren(...parts);
  }
}

/**
 * @param {DerivationState} state
 */
function lossText(state) {
  const { loss } = state;
  const lost = state.lostArcs();
  const arcs = lost
    .slice(0, 5)
    .flatMap(([head, dependent], index) => [index ? ", " : ": ", ...arcWords(state, head, dependent)]);
  const open = loss - lost.length;
  return [
    `This derivation has left the tree: ${loss} ${loss === 1 ? "arc" : "arcs"} can no longer be had`,
    ...arcs, lost.length > 5 ? ", …" : "",
    open === 0 ? "." : lost.length > 0 ? `, and ${open} more; which, is still open.` : "; which, is still open.",
  ];
}

/**
 * @param {"S"|"L"|"R"} action
 * @param {(action: string) => void} act
 */
function actionButton(action, act) {
  const key = action.toLowerCase();
  const effect = html("span", { class: "effect" });
  const verdict = html("span", { class: "verdict" });
  const bar = html("span");
  const percent = html("span", { class: "percent" });
  const chance = html("span", { class: "chance", role: "img" }, html("span", { class: "meter" }, bar), percent);
  const button = html(
    "button",
    { type: "button", class: `action ${NAMES[action]}`, "data-action": action, "aria-keyshortcuts": key, click: () => act(action) },
    html("span", { class: "title" }, html("span", { class: "name" }, NAMES[action]), html("kbd", { "aria-hidden": "true" }, key)),
    effect, verdict, chance,
  );
  return { button, effect, verdict, chance, bar, percent };
}

/**
 * What an action would do.
 * @param {DerivationState} state
 * @param {any} option
 */
function effectOf(state, { action, arc, obstacle: reason }) {
  if (reason !== null) return ["not legal"];
  if (arc !== null) return arcWords(state, arc[0], arc[1]);
  return action === "S" ? ["read ", html("bdi", {}, wordText(state.words[state.configuration.next - 1]))] : [];
}

/**
 * What an action would mean for the tree.
 * @param {DerivationState} state
 * @param {any} option
 */
function verdictOf(state, { action, obstacle: reason, isOracle, keeps, cost, loses }) {
  if (reason !== null) return [reason];
  if (isOracle) return [html("span", { class: "mark" }, "✓ oracle")];
  if (keeps) return [html("span", { class: "mark" }, "✓ also reaches the tree")];
  if (cost === 0) return ["loses nothing more"];
  if (loses.length === 0) return [cost === 1 ? "loses one arc more" : `loses ${cost} arcs more`];
  const [head, dependent] = loses[0];
  const more = cost > 1 ? ` and ${cost - 1} more` : action === "S" ? " or another arc" : "";
  return ["loses ", ...arcWords(state, head, dependent), more];
}

/**
 * @param {DerivationState} state
 * @param {number} head
 * @param {number} dependent
 */
function arcWords(state, head, dependent) {
  return [
    html("bdi", {}, head === 0 ? "root" : wordText(state.words[head - 1])), " → ",
    html("bdi", {}, wordText(state.words[dependent - 1])),
  ];
}

/**
 * A button of a command. Its tooltip ends with its key, its label does not.
 * @param {string} command
 * @param {string} title
 * @param {() => void} click
 * @param {Node|string} content
 */
function commandButton(command, title, click, content) {
  const label = title.replace(/ \(.*\)$/, "");
  return html(
    "button",
    { type: "button", "data-command": command, "aria-label": label || null, title: title || null, click: () => click() },
    content,
  );
}

/**
 * A button that does nothing now but can still be focused, so that focus is never lost.
 * @param {HTMLElement} button
 * @param {boolean} isOff
 */
function softDisable(button, isOff) {
  setAttributes(button, { "aria-disabled": isOff ? "true" : null });
}

/** @param {keyof typeof ICONS} name */
function icon(name) {
  return svg(
    "svg",
    {
      class: OUTLINED.includes(name) ? "icon outlined" : "icon",
      viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true",
    },
    svg("path", { d: ICONS[name] }),
  );
}

/**
 * A number for people: 12,345 as it is, a huge one by its first digits.
 * @param {bigint} value
 */
function bigNumber(value) {
  const digits = value.toString();
  if (digits.length <= 12) return value.toLocaleString("en");
  const raised = [...String(digits.length - 1)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
  return `${digits[0]}.${digits.slice(1, 3)} × 10${raised}`;
}
