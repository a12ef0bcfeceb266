// @ts-check
/**
 * The sentence with the arcs so far: the dependency reading of a configuration, (σ, β, A).
 *
 * Arcs keep their places over a whole derivation, and only their looks change with a step: to
 * come, just added, there, or lost. So a step costs a few changes of class.
 *
 * @typedef {import("./columns.js").Columns} Columns
 * @typedef {import("../state.js").DerivationState} DerivationState
 * @typedef {{head: number, dependent: number, label: string, kind: string}} ShownArc
 */
import { placeArcs } from "../layout.js";
import { goldArcs, projectiveArcs } from "../state.js";
import { SMALL_FONT, WORD_FONT, html, setAttributes, setText, svg } from "../svg.js";
import { UNLABELLED, labelText, labelWidth } from "./columns.js";

const ARC_TIP = 7;
const ARC_RADIUS = 10;
const ARC_TOP = 24;

export class ArcsView {
  constructor() {
    this.lines = svg("g", { class: "arc-lines" });
    this.labels = svg("g", { class: "arc-labels", "aria-hidden": "true" });
    this.line = svg("g", { class: "words" });
    this.picture = svg("svg", { class: "picture", role: "group" }, this.line, this.lines, this.labels);
    this.caption = html("figcaption", {}, "Sentence and arcs");
    this.element = html("figure", { "data-view": "arcs" }, this.caption, this.picture);
    /** @type {Map<string, any>} arcs by "head-dependent" */
    this.arcs = new Map();
    /** @type {any[]} */
    this.words = [];
    this.arrangement = "";
  }

  /**
   * Begin with another sentence.
   * @param {DerivationState} state
   * @param {Columns} columns
   */
  reset(state, columns) {
    this.columns = columns;
    this.arcs.clear();
    this.arrangement = "";
    this.lines.replaceChildren();
    this.labels.replaceChildren();
    this.words = state.words.map((word, index) => arcsWord(columns, index, word.form));
    this.line.replaceChildren(...this.words);
    setAttributes(this.picture, { width: columns.total });
  }

  /** @param {DerivationState} state */
  update(state) {
    const arcs = state.stage === "derivation" ? derivationArcs(state) : journeyArcs(state);
    this.arrange(arcs);
    for (const { head, dependent, label, kind } of arcs) {
      const drawn = this.arcs.get(`${head}-${dependent}`);
      const mark = state.marked.has(dependent) && !kind.includes("other") ? " marked" : "";
      setAttributes(drawn.line, {
        class: `arc ${kind}${mark}`,
        "data-item": kind === "unseen" ? null : "",
        "aria-label": arcSentence(state, head, dependent, label, kind + mark),
      });
      setAttributes(drawn.label, { class: `arc-label ${kind}${mark}` });
      setText(drawn.label.lastChild, labelText(label));
    }
    const unread = state.stage === "derivation" ? state.configuration.next : state.size + 1;
    this.words.forEach((word, index) => {
      word.classList.toggle("unread", index + 1 >= unread);
    });
    setAttributes(this.picture, { "aria-label": arcsSummary(state, arcs) });
  }

  /**
   * Give every arc its place; nothing is done if these arcs have theirs already.
   * @param {ShownArc[]} arcs
   */
  arrange(arcs) {
    const arrangement = arcs.map(({ head, dependent, label }) => `${head}-${dependent} ${label}`).join("\n");
    if (arrangement === this.arrangement || !this.columns) return;
    this.arrangement = arrangement;
    const placed = placeArcs(arcs.map(({ head, dependent }) => [head, dependent]), this.columns.placed);
    const levels = Math.max(1, ...placed.map(({ level }) => level));
    const pitch = Math.max(17, Math.min(28, (this.columns.isNarrow ? 190 : 330) / levels));
    const foot = ARC_TOP + levels * pitch;
    const stale = new Map(this.arcs);
    placed.forEach((place, index) => {
      const key = `${place.head}-${place.dependent}`;
      const drawn = this.arcs.get(key) ?? this.newArc(place.head, place.dependent, key);
      stale.delete(key);
      drawArc(drawn, place, arcs[index].label, foot, pitch);
    });
    for (const [key, drawn] of stale) {
      drawn.line.remove();
      drawn.label.remove();
      this.arcs.delete(key);
    }
    setAttributes(this.line, { transform: `translate(0 ${foot})` });
    setAttributes(this.picture, { height: foot + 58 });
  }

  /**
   * @param {number} head
   * @param {number} dependent
   * @param {string} key
   */
  newArc(head, dependent, key) {
    const line = svg(
      "g",
      { class: "arc", role: "img", tabindex: "-1", "data-position": dependent, "data-other": head },
      svg("path", { class: "reach" }),
      svg("path", { class: "line" }),
      svg("path", { class: "tip" }),
    );
    const label = svg("g", { class: "arc-label" }, svg("rect", { rx: 4 }), svg("text"));
    setAttributes(label, { "data-position": dependent, "data-other": head });
    this.lines.append(line);
    this.labels.append(label);
    const drawn = { line, label };
    this.arcs.set(key, drawn);
    return drawn;
  }

  /**
   * Light up words, and the arc that ends in the first of them.
   * @param {number[]} positions
   */
  light(positions) {
    const [focused] = positions;
    for (const [index, word] of this.words.entries()) {
      word.classList.toggle("lit", positions.includes(index + 1));
    }
    for (const [key, { line, label }] of this.arcs) {
      const isLit = focused !== undefined && key.endsWith(`-${focused}`);
      line.classList.toggle("lit", isLit);
      label.classList.toggle("lit", isLit);
    }
  }
}

/**
 * @param {Columns} columns
 * @param {number} index
 * @param {string} form
 */
function arcsWord(columns, index, form) {
  const x = columns.x(index + 1);
  const width = columns.placed.widths[index];
  const tag = columns.tags[index];
  return svg(
    "g",
    {
      class: "word", role: "img", tabindex: "-1", "data-item": "", "data-position": index + 1,
      "aria-label": `${form}, word ${index + 1}${tag ? `, ${tag}` : ""}`,
    },
    svg("rect", { class: "glow", x: x - width / 2 - 4, y: 2, width: width + 8, height: tag ? 46 : 28, rx: 6 }),
    svg("text", { x, y: 8 + WORD_FONT * 0.75 }, columns.shown[index]),
    tag ? svg("text", { class: "tag", x, y: 26 + SMALL_FONT }, tag) : null,
    columns.shown[index] === form ? null : svg("title", {}, form),
  );
}

/**
 * Up from the head, across, and down to the dependent; the root's arc comes straight down.
 * @param {any} drawn
 * @param {import("../layout.js").PlacedArc} place
 * @param {string} label
 * @param {number} foot
 * @param {number} pitch
 */
function drawArc(drawn, { head, from, to, level }, label, foot, pitch) {
  const y = foot - level * pitch;
  const turn = Math.min(ARC_RADIUS, Math.abs(to - from) / 2, pitch * level * 0.8);
  const step = to > from ? turn : -turn;
  const line =
    head === 0
      ? `M${arcNumber(to)} ${arcNumber(y + 4)}V${arcNumber(foot - ARC_TIP)}`
      : `M${arcNumber(from)} ${arcNumber(foot)}V${arcNumber(y + turn)}Q${arcNumber(from)} ${arcNumber(y)} ` +
        `${arcNumber(from + step)} ${arcNumber(y)}H${arcNumber(to - step)}Q${arcNumber(to)} ${arcNumber(y)} ` +
        `${arcNumber(to)} ${arcNumber(y + turn)}V${arcNumber(foot - ARC_TIP)}`;
  const [reach, path, tip] = drawn.line.children;
  setAttributes(reach, { d: line });
  setAttributes(path, { d: line });
  setAttributes(tip, { d: `M${arcNumber(to)} ${arcNumber(foot)}l-4 ${-ARC_TIP - 1}h8z` });
  const width = labelWidth(label) + 8;
  const middle = (from + to) / 2;
  const [back, text] = drawn.label.children;
  setAttributes(back, { x: arcNumber(middle - width / 2), y: arcNumber(y - 8), width: arcNumber(width), height: 16 });
  setAttributes(text, { x: arcNumber(middle), y: arcNumber(y + 4) });
}

/** @param {number} value */
function arcNumber(value) {
  return String(Math.round(value * 10) / 10);
}

/**
 * All arcs of the derivation shown and of its tree, and how each of them stands at this step.
 * @param {DerivationState} state
 * @returns {ShownArc[]}
 */
function derivationArcs(state) {
  const { configuration, heads, labels } = state;
  const [, added] = state.step > 0 && state.actions[state.step - 1] !== "S"
    ? configuration.arcs[configuration.arcs.length - 1]
    : [0, 0];
  const lost = new Set(state.lostArcs().map(([, dependent]) => dependent));
  const arcs = goldArcs(heads).map(([head, dependent]) => {
    const isThere = configuration.heads[dependent - 1] === head;
    const kind = isThere ? (dependent === added ? "new" : "built") : lost.has(dependent) ? "lost" : "coming";
    const mark = state.lifting && labels[dependent - 1].includes("↑") ? " lifted" : "";
    return { head, dependent, label: labels[dependent - 1], kind: kind + mark };
  });
  const final = state.configurations[state.last].heads;
  final.forEach((head, index) => {
    if (head === heads[index]) return;
    const isThere = configuration.heads[index] === head;
    const kind = isThere ? (index + 1 === added ? "new other" : "built other") : "unseen";
    arcs.push({ head, dependent: index + 1, label: UNLABELLED, kind });
  });
  return arcs;
}

/**
 * The arcs at a place of the journey: of the tree before, the tree after, and what moves.
 * @param {DerivationState} state
 * @returns {ShownArc[]}
 */
function journeyArcs(state) {
  const { stage, place, exploration } = state;
  if (stage === "crossings") {
    const chosen = exploration.crossings[place];
    const crossed = new Set((chosen?.with ?? []).map((/** @type {number[]} */ arc) => arc[1]));
    const wrong = new Set(exploration.crossings.map((/** @type {any} */ arc) => arc.dependent));
    return goldArcs(exploration.heads).map(([head, dependent]) => {
      const kind = wrong.has(dependent) ? "built crossing" : crossed.has(dependent) ? "built crossed" : "built";
      const mark = chosen && dependent === chosen.dependent ? " chosen" : "";
      return { head, dependent, label: exploration.labels[dependent - 1], kind: kind + mark };
    });
  }
  const moves = state.lifting[stage];
  const tree = state.treeAfter(/** @type {"lifts"|"returns"} */ (stage), place + 1);
  const projective = projectiveArcs(tree.heads);
  const moved = moves[place];
  const arcs = goldArcs(tree.heads).map(([head, dependent]) => {
    const kind = projective[dependent - 1] ? "built" : "built crossing";
    const mark = moved && dependent === moved.word ? " new" : "";
    return { head, dependent, label: tree.labels[dependent - 1], kind: kind + mark };
  });
  if (moved) {
    const label = stage === "lifts" ? exploration.labels[moved.word - 1] : state.lifting.labels[moved.word - 1];
    arcs.push({ head: moved.from, dependent: moved.word, label, kind: "gone" });
  }
  return arcs;
}

/**
 * @param {DerivationState} state
 * @param {number} head
 * @param {number} dependent
 * @param {string} label
 * @param {string} kind
 */
function arcSentence(state, head, dependent, label, kind) {
  const heard = { coming: ", still to come", lost: ", out of reach", gone: ", as it was before", new: ", just added" };
  const manner = Object.entries(heard).find(([name]) => kind.split(" ").includes(name));
  const crossing = kind.includes("crossing") ? ", not projective" : "";
  const mark = kind.includes("marked") ? ", differs" : "";
  const from = head === 0 ? "root" : state.words[head - 1].form;
  return `${from} → ${state.words[dependent - 1].form}: ${label}${crossing}${mark}${manner ? manner[1] : ""}`;
}

/**
 * @param {DerivationState} state
 * @param {ShownArc[]} arcs
 */
function arcsSummary(state, arcs) {
  const there = arcs.filter(({ kind }) => /built|new/.test(kind)).length;
  return `Sentence of ${state.size} words with ${there} of ${state.size} arcs`;
}
