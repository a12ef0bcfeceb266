// @ts-check
/**
 * The keyboard: every control has a key, and inside a view the up and down arrows go from item
 * to item. A key is left alone while somebody types, and with modifiers of the browser's.
 */
import { html } from "./svg.js";

/** What the keys do, as the help shows it. */
const KEY_HELP = [
  { keys: ["←", "→"], meaning: "one step back, one step on" },
  { keys: ["Home", "End"], meaning: "first step, last step" },
  { keys: ["space"], meaning: "play, pause" },
  { keys: ["s", "l", "r"], meaning: "SHIFT, LEFTARC, RIGHTARC here" },
  { keys: ["ctrl-z"], meaning: "undo what was done" },
  { keys: ["ctrl-shift-z"], meaning: "do it again" },
  { keys: ["↑", "↓"], meaning: "through the words, arcs, nodes or rows of a view" },
  { keys: ["Enter"], meaning: "on a row: go to that step" },
  { keys: ["Esc"], meaning: "stop, and look at nothing in particular" },
  { keys: ["?"], meaning: "this help" },
];

const EXPLANATION = [
  "Above, the sentence with the arcs so far. Below it, the same moment as trees: each box on " +
    "the stack is one ordered tree over neighbouring words, the strong straight branch leads " +
    "to its anchor, and the buffer goes on where the stack ends. LEFTARC and RIGHTARC join " +
    "the two trees on top.",
  "Take any legal action: the derivation branches, and you see whether the tree can still be " +
    "reached. In the table, actions in italics are how it goes on by itself.",
];

/**
 * The command of a key press; null if it is none of ours.
 * @param {KeyboardEvent} event
 * @returns {string|null}
 */
export function commandOf(event) {
  if (event.defaultPrevented || event.isComposing || event.altKey) return null;
  const target = /** @type {HTMLElement} */ (event.composedPath()[0] ?? event.target);
  if (isTyping(target)) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) {
    if (key === "z") return event.shiftKey ? "redo" : "undo";
    return key === "y" && !event.shiftKey ? "redo" : null;
  }
  if (key === "?") return "help";
  if (event.shiftKey) return null;
  const isSlider = target instanceof HTMLInputElement && target.type === "range";
  if (isSlider && /^(Arrow|Home$|End$|Page)/.test(key)) return null;
  // A button and a link have uses of their own for these two keys.
  if ((key === " " || key === "Enter") && target.closest?.("button, a, summary, select")) return null;
  const commands = {
    ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play",
    s: "S", l: "L", r: "R", Escape: "escape", ArrowUp: "up", ArrowDown: "down", Enter: "enter",
  };
  return commands[/** @type {keyof typeof commands} */ (key)] ?? null;
}

/**
 * Do what a command says.
 * @param {import("./derivation-element.js").ArctreeDerivation} element
 * @param {string} command
 * @param {Element} target where the key was pressed
 * @returns {boolean} whether it meant something here
 */
export function obey(element, command, target) {
  if (command === "S" || command === "L" || command === "R") element.act(command);
  else if (command === "up" || command === "down") {
    const view = target.closest?.("[data-view]");
    return view ? moveInView(view, target, command === "up" ? -1 : 1) : false;
  } else if (command === "enter") {
    const row = target.closest?.("tr[data-step]");
    if (!row) return false;
    element.goTo("derivation", Number(row.getAttribute("data-step")));
  } else if (command === "escape") {
    if (!element.isPlaying && element.focused === null) return false;
    element.pause();
    element.focusOn([]);
  } else if (command === "help") element.help.showModal();
  else element.transport.buttons[/** @type {"on"} */ (command)].click();
  return true;
}

/**
 * One item of each view can be reached by tab, the others from there with the arrows.
 * @param {Element} view
 * @param {Element|null} active
 * @param {number} direction
 */
function moveInView(view, active, direction) {
  const items = [...view.querySelectorAll("[data-item]")];
  const place = active ? items.indexOf(active) : -1;
  if (place < 0) return false;
  const item = items[Math.max(0, Math.min(items.length - 1, place + direction))];
  /** @type {HTMLElement} */ (item).focus({ preventScroll: false });
  return true;
}

/** @type {WeakMap<Element, Element>} */
const tabbedItems = new WeakMap();

/**
 * Keep exactly one item of a view in the order of tabs: the one chosen, or the one that was.
 * @param {Element} view
 * @param {Element|null} [chosen]
 */
export function keepOneTab(view, chosen = null) {
  const before = tabbedItems.get(view);
  if (chosen === null && before?.isConnected && before.hasAttribute("data-item")) return;
  const item = chosen ?? view.querySelector("[data-item]");
  if (before && before !== item) before.setAttribute("tabindex", "-1");
  if (item === null) return;
  item.setAttribute("tabindex", "0");
  tabbedItems.set(view, item);
}

/** The help, as a dialog. */
export function helpDialog() {
  const close = html("button", { type: "button", class: "close", "aria-label": "Close" }, "Close");
  const rows = KEY_HELP.map(({ keys, meaning }) =>
    html("div", {}, html("dt", {}, ...keys.map((key) => html("kbd", {}, key))), html("dd", {}, meaning)),
  );
  const dialog = html(
    "dialog", { class: "help", "aria-label": "Keys and help" },
    html("h2", {}, "Keys"),
    html("dl", {}, ...rows),
    html("h2", {}, "What you see"),
    ...EXPLANATION.map((text) => html("p", {}, text)),
    close,
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}

/** @param {any} target */
function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.localName === "textarea" || target.localName === "select") return true;
  if (!(target instanceof HTMLInputElement)) return false;
  return !["range", "button", "checkbox", "radio", "submit", "reset", "file"].includes(target.type);
}
