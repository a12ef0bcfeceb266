// @ts-check
// Two analyses of one sentence, gold and system or two systems: which arcs differ, and the
// first transition at which the derivations part. They are stepped together, or apart.

import { compare } from "./diff.js";
import { NAMES } from "./transitions.js";
import { html, visibleText } from "./svg.js";
import { mirroredArcs } from "./mirror.js";

/** @typedef {{title: string, exploration: any}} Analysis */

export class Comparison {
  /**
   * @param {HTMLElement} panel  where it is told
   * @param {any} first          an <arctree-derivation>
   * @param {any} second         and another
   */
  constructor(panel, first, second) {
    this.panel = panel;
    this.first = first;
    this.second = second;
    this.together = true;
    this.shown = false;
    /** @type {Map<any, number>} steps that we set ourselves, and need not follow */
    this.set = new Map();
    for (const [leader, other] of [[first, second], [second, first]]) {
      leader.addEventListener("arctree-step", (event) => this.follow(leader, other, event.detail.step));
      leader.addEventListener("arctree-focus", ({ detail }) => {
        if (this.shown && other.focused !== detail.position) other.focused = detail.position;
      });
    }
  }

  /**
   * Tell how two analyses differ.
   * @param {Analysis} one
   * @param {Analysis} other
   */
  show(one, other) {
    this.shown = true;
    const difference = compare(one.exploration, other.exploration);
    const size = one.exploration.words.length;
    const frame = html("div", { class: "mirror-frame", tabindex: "0", role: "group", "aria-label": "Both trees" });
    this.panel.replaceChildren(
      html(
        "h2",
        { id: "comparison-heading" },
        html("span", {}, `${capitalTitle(one)} above`),
        ", ",
        html("span", {}, `${other.title} below`),
      ),
      html("p", {}, differenceInWords(difference, size)),
      html("div", { class: "line" }, ...this.parting(one, other, difference.parts), this.togetherSwitch()),
      html("div", { class: "side-by-side" }, frame, ...differenceTable(one, other, difference)),
    );
    this.panel.hidden = false;
    for (const element of [this.first, this.second]) element.marked = [...difference.arcs, ...difference.labels];
    frame.append(mirroredArcs(one, other, difference));
    showDifference(frame, one.exploration.rtl);
  }

  hide() {
    if (this.shown) this.first.marked = [];
    this.shown = false;
    this.panel.hidden = true;
    this.panel.replaceChildren();
  }

  parting(one, other, parts) {
    const isLifted = [one, other].some(({ exploration }) => exploration.lifting);
    if (parts === null) {
      const told = isLifted
        ? "Their derivations are the same: a tree that is not projective is derived lifted, and only its labels tell where its arcs belong."
        : "Their derivations are the same.";
      return [html("span", {}, told)];
    }
    const action = ({ exploration }) => NAMES[exploration.transitions[parts]] ?? "nothing more";
    const told =
      `They part at transition ${parts + 1}: ${one.title} takes ${action(one)}, ` +
      `${other.title} ${action(other)}.`;
    const jump = () => {
      // Each back on its own derivation first, should a what-if be on.
      for (const [element, analysis] of [[this.first, one], [this.second, other]]) {
        const { transitions } = analysis.exploration;
        if (element.actions !== transitions) element.actions = transitions;
        this.setStep(element, parts);
      }
    };
    return [
      html("span", { class: "parting" }, told),
      html("button", { type: "button", class: "primary", click: jump }, "Go there"),
    ];
  }

  togetherSwitch() {
    const box = html("input", { type: "checkbox" });
    box.checked = this.together;
    box.addEventListener("change", () => {
      this.together = box.checked;
      if (this.together) this.setStep(this.second, this.first.step);
    });
    return html("label", {}, box, "Step together");
  }

  follow(leader, other, step) {
    const isOurs = this.set.get(leader) === step;
    this.set.delete(leader);
    if (isOurs || !this.shown || !this.together) return;
    this.setStep(other, Math.min(step, other.actions.length));
  }

  setStep(element, step) {
    if (element.step === step) return;
    this.set.set(element, step);
    element.step = step;
    // An element that says nothing about a step it was told shall not mute the next one.
    setTimeout(() => this.set.delete(element), 100);
  }
}

/** Bring the first arc that differs into view; otherwise the beginning of the sentence. */
function showDifference(frame, rtl) {
  const arcs = [...frame.querySelectorAll(".differs")].map((arc) => arc.getBoundingClientRect());
  const middles = arcs.map(({ left, right }) => (left + right) / 2);
  const [begin, width] = [frame.getBoundingClientRect().left, frame.clientWidth];
  if (middles.length > 0) frame.scrollLeft = (rtl ? Math.max : Math.min)(...middles) - begin - width / 2;
  else if (rtl) frame.scrollLeft = frame.scrollWidth;
}

/** An analysis by its name, at the beginning of a sentence. */
export function capitalTitle({ title }) {
  return title.replace(/^the /, "The "); // a model's name stays as it is
}

function differenceInWords({ arcs, labels }, size) {
  if (arcs.length === 0 && labels.length === 0) return "The two trees are the same.";
  const share = Math.round(((size - arcs.length) / size) * 1000) / 10;
  const heads = arcs.length === 0
    ? "All words have the same head in both"
    : `${countOf(arcs.length, "word has", "words have")} another head; ${share} % of ${size} have the same`;
  const named = labels.filter((position) => !arcs.includes(position)).length;
  const rest = named === 0 ? "" : `; ${countOf(named, "word has", "words have")} the same head under another label`;
  return `${heads}${rest}.`;
}

function countOf(number, one, many) {
  return `${number} ${number === 1 ? one : many}`;
}

/** Each word that differs, with its head and label in both. */
function differenceTable(one, other, { arcs, labels }) {
  const positions = [...new Set([...arcs, ...labels])].sort((a, b) => a - b);
  if (positions.length === 0) return [];
  const cell = ({ exploration }, position) => {
    const { heads, labels: names, words } = exploration;
    const head = heads[position - 1];
    const name = head === 0 ? "root" : spelling(words[head - 1]);
    return html("td", {}, html("bdi", {}, visibleText(names[position - 1])), " ← ", html("bdi", {}, name));
  };
  const rows = positions.map((position) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, `${position} `, html("bdi", {}, spelling(one.exploration.words[position - 1]))),
      cell(one, position),
      cell(other, position),
    ),
  );
  const heads = ["Word", capitalTitle(one), capitalTitle(other)].map((name) => html("th", { scope: "col" }, name));
  const table = html("table", {}, html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows));
  const frame = { class: "differences", tabindex: "0", role: "group", "aria-label": "Words that differ" };
  return [html("div", frame, table)];
}

function spelling(word) {
  return word.shown ?? word.form;
}
