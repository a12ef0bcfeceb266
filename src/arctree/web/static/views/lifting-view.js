// @ts-check
/**
 * The journey of a tree that is not projective. First Theorem 1 made visible: which arcs
 * cross, and that the yield of a head has a gap, so that no tree with contiguous yields has
 * it. Then each lift (φ), the derivation of the lifted tree, and each arc's return (φ⁻¹).
 *
 * @typedef {import("../state.js").DerivationState} DerivationState
 * @typedef {import("./columns.js").Columns} Columns
 * @typedef {{name: string, kind: string, head: number, positions: number[], gap: number[]}} Bar
 */
import { STAGES, projectiveArcs } from "../state.js";
import { SMALL_FONT, html, setAttributes, setText, svg, textWidth } from "../svg.js";
import { wordText } from "./columns.js";

const STAGE_TITLES = {
  crossings: "Crossing arcs",
  lifts: "Lifts",
  derivation: "Derivation",
  returns: "Returns",
};

export class LiftingView {
  /** @param {(stage: import("../state.js").Stage, place: number) => void} go */
  constructor(go) {
    this.go = go;
    this.tabs = STAGES.map((stage, index) => {
      const count = html("span", { class: "count" });
      const button = html(
        "button", { type: "button", "data-stage": stage, click: () => go(stage, 0) },
        html("span", { class: "number", "aria-hidden": "true" }, String(index + 1)),
        html("span", {}, STAGE_TITLES[stage]), count,
      );
      return { stage, button, count };
    });
    this.text = html("p", { class: "told" });
    this.choice = html("div", { class: "choices", role: "group", "aria-label": "Crossing arcs" });
    this.element = html(
      "section", { class: "card lifting", "aria-label": "Beyond projective" },
      html("nav", { class: "stages", "aria-label": "Stages" }, ...this.tabs.map(({ button }) => button)),
      this.choice,
      this.text,
    );
    this.bars = svg("g");
    this.picture = svg("svg", { class: "picture yields", role: "img", height: 84 }, this.bars);
    this.caption = html("figcaption", {});
    this.figure = html("figure", { "data-view": "yields" }, this.caption, this.picture);
  }

  /**
   * @param {DerivationState} state
   * @param {Columns} columns
   */
  reset(state, columns) {
    this.columns = columns;
    this.element.hidden = !state.lifting;
    this.figure.hidden = true;
    if (!state.lifting) return;
    setAttributes(this.picture, { width: columns.total });
    const { crossings } = state.exploration;
    const { lifts, returns } = state.lifting;
    const counts = { crossings: crossings.length, lifts: lifts.length, returns: returns.length };
    for (const { stage, count } of this.tabs) setText(count, stage === "derivation" ? "" : String(counts[stage]));
    this.choice.replaceChildren(
      ...crossings.map((/** @type {any} */ arc, /** @type {number} */ index) =>
        html(
          "button",
          {
            type: "button", class: "arc-choice", "data-position": arc.dependent, "data-other": arc.head,
            click: () => this.go("crossings", index),
          },
          ...liftingArc(state, arc.head, arc.dependent),
        ),
      ),
    );
  }

  /** @param {DerivationState} state */
  update(state) {
    if (!state.lifting) return;
    for (const { stage, button } of this.tabs) {
      setAttributes(button, { "aria-current": stage === state.stage ? "step" : null });
    }
    this.choice.hidden = state.stage !== "crossings" || state.exploration.crossings.length < 2;
    [...this.choice.children].forEach((button, index) => {
      setAttributes(button, { "aria-pressed": index === state.place ? "true" : "false" });
    });
    const told = { crossings: tellCrossing, lifts: tellLift, derivation: tellDerivation, returns: tellReturn };
    this.text.replaceChildren(...told[state.stage](state));
    const bars = yieldBars(state);
    this.figure.hidden = bars.length === 0;
    if (bars.length > 0) this.drawBars(bars);
    this.caption.replaceChildren(...yieldCaption(state, bars));
  }

  /** @param {Bar[]} bars */
  drawBars(bars) {
    const drawn = bars.flatMap(({ name, kind, positions, gap }, row) => {
      const y = 14 + row * 34;
      return [
        ...runs(positions).flatMap((run) => barOf(this.extent(run), y, kind, name)),
        ...runs(gap).flatMap((run) => barOf(this.extent(run), y, "gap", "gap")),
      ];
    });
    this.bars.replaceChildren(...drawn);
    const told = bars.map(({ name, positions, gap }) => {
      const missing = gap.length ? `, with a gap at ${gap.join(", ")}` : "";
      return `${name}: words ${positions.join(", ")}${missing}`;
    });
    setAttributes(this.picture, { height: 20 + bars.length * 34, "aria-label": told.join(". ") });
  }

  /**
   * From the first column of a run to the last.
   * @param {number[]} run
   */
  extent(run) {
    const { columns } = this;
    const xs = [run[0], run[run.length - 1]].flatMap((position) => {
      const half = (columns?.placed.widths[position - 1] ?? 0) / 2 + (columns?.air ?? 0);
      const middle = columns?.x(position) ?? 0;
      return [middle - half, middle + half];
    });
    const left = Math.min(...xs);
    return { left, width: Math.max(...xs) - left };
  }
}

/**
 * A bar, with its name if there is room for it; the caption has it in any case.
 * @param {{left: number, width: number}} extent
 * @param {number} y
 * @param {string} kind
 * @param {string} name
 */
function barOf({ left, width }, y, kind, name) {
  const isRoomy = textWidth(name, SMALL_FONT) <= width - 10;
  const bar = svg("rect", { class: `bar ${kind}`, x: left, y, width, height: 22, rx: 6 });
  if (!isRoomy) return [bar];
  return [bar, svg("text", { class: `bar-name ${kind}`, x: left + width / 2, y: y + 15 }, name)];
}

/**
 * The yields to be marked under the words: of the head of the arc chosen, with its gap, and
 * what stands in the gap; after a lift, of the head that was freed.
 * @param {DerivationState} state
 * @returns {Bar[]}
 */
function yieldBars(state) {
  if (state.stage === "crossings") {
    const arc = state.exploration.crossings[state.place];
    if (!arc) return [];
    const word = wordText(state.words[arc.head - 1]);
    return [
      { name: `below ${word}`, kind: "yield", head: arc.head, positions: arc.yield, gap: gapsOf(arc.yield) },
      { name: "not below it", kind: "between", head: arc.head, positions: arc.between, gap: [] },
    ];
  }
  if (state.stage === "lifts" || state.stage === "returns") {
    const move = state.lifting[state.stage][state.place];
    if (!move) return [];
    const { heads } = state.treeAfter(state.stage, state.place + 1);
    const freed = state.stage === "lifts" ? move.from : move.to;
    const positions = belowOf(heads, freed);
    const word = wordText(state.words[freed - 1]);
    return [{ name: `below ${word}`, kind: "yield", head: freed, positions, gap: gapsOf(positions) }];
  }
  return [];
}

/**
 * @param {DerivationState} state
 * @param {Bar[]} bars
 */
function yieldCaption(state, [bar]) {
  if (bar === undefined) return [];
  const word = html("q", {}, html("bdi", {}, wordText(state.words[bar.head - 1])));
  if (state.stage === "crossings") {
    return ["Interleaving yields: the words below ", word, ", and in their gap words that are not"];
  }
  return [bar.gap.length === 0 ? "A contiguous yield: the words below " : "A yield with a gap: the words below ", word];
}

/** @param {DerivationState} state */
function tellCrossing(state) {
  const arc = state.exploration.crossings[state.place];
  if (!arc) return [];
  const between = arc.between.map((/** @type {number} */ position) => wordText(state.words[position - 1]));
  const head = html("b", {}, html("bdi", {}, wordText(state.words[arc.head - 1])));
  const others = arc.with.flatMap((/** @type {number[]} */ other, /** @type {number} */ index) => [
    index ? ", " : "", ...quotedArc(state, other[0], other[1]),
  ]);
  return [
    "The arc ", html("strong", {}, ...quotedArc(state, arc.head, arc.dependent)),
    arc.with.length ? " crosses " : "", ...others, arc.with.length ? ". " : " is not projective. ",
    between.length === 1 ? "Between its ends stands " : "Between its ends stand ",
    html("q", {}, html("bdi", {}, liftingWords(between))),
    ", not below ", head, ": the yield of ", head.cloneNode(true),
    " has a gap, and so no ordered tree with contiguous yields has this arc (Theorem 1).",
  ];
}

/** @param {DerivationState} state */
function tellLift(state) {
  const { lifts } = state.lifting;
  const lift = lifts[state.place];
  if (!lift) return ["Nothing is lifted."];
  const { heads } = state.treeAfter("lifts", state.place + 1);
  const wrong = projectiveArcs(heads).filter((isProjective) => !isProjective).length;
  return [
    `Lift ${state.place + 1} of ${lifts.length}: `, liftingWord(state, lift.word), " moves up, from ",
    liftingWord(state, lift.from), " to its head ", liftingWord(state, lift.to), ". ",
    wrong === 0
      ? "Now every arc is projective, and the tree can be derived; the label remembers the way back."
      : `${wrong} ${wrong === 1 ? "arc is" : "arcs are"} not projective yet.`,
  ];
}

/** @param {DerivationState} state */
function tellDerivation(state) {
  return [
    "The derivation of the lifted tree. The label of a lifted word, such as ",
    html("b", {}, state.labels.find((/** @type {string} */ label) => label.includes("↑")) ?? ""),
    ", says whose dependent it really is.",
  ];
}

/** @param {DerivationState} state */
function tellReturn(state) {
  const { returns } = state.lifting;
  const move = returns[state.place];
  if (!move) return ["Nothing returns."];
  const { heads } = state.treeAfter("returns", state.place + 1);
  const isBack = heads.every((head, index) => head === state.exploration.heads[index]);
  return [
    `Return ${state.place + 1} of ${returns.length}: the label `,
    html("b", {}, state.lifting.labels[move.word - 1]), " leads ", liftingWord(state, move.word), " back from ",
    liftingWord(state, move.from), " to ", liftingWord(state, move.to), ". ",
    isBack ? "✓ All arcs are again those of the original tree." : "",
  ];
}

/**
 * @param {DerivationState} state
 * @param {number} position
 */
function liftingWord(state, position) {
  return html("b", {}, position === 0 ? "the root" : html("bdi", {}, wordText(state.words[position - 1])));
}

/**
 * @param {DerivationState} state
 * @param {number} head
 * @param {number} dependent
 */
function liftingArc(state, head, dependent) {
  return [
    html("bdi", {}, head === 0 ? "root" : wordText(state.words[head - 1])), " → ",
    html("bdi", {}, wordText(state.words[dependent - 1])),
  ];
}

/**
 * The same within a sentence, where a word may be a full stop.
 * @param {DerivationState} state
 * @param {number} head
 * @param {number} dependent
 */
function quotedArc(state, head, dependent) {
  const [from, arrow, to] = liftingArc(state, head, dependent);
  return [head === 0 ? "the root" : html("q", {}, from), arrow, html("q", {}, to)];
}

/** @param {string[]} words */
function liftingWords(words) {
  return words.length > 9 ? [...words.slice(0, 5), "…", ...words.slice(-3)].join(" ") : words.join(" ");
}

/**
 * Runs of neighbouring positions.
 * @param {number[]} positions
 * @returns {number[][]}
 */
function runs(positions) {
  /** @type {number[][]} */
  const found = [];
  for (const position of positions) {
    const last = found[found.length - 1];
    if (last && last[last.length - 1] === position - 1) last.push(position);
    else found.push([position]);
  }
  return found;
}

/** @param {number[]} positions */
function gapsOf(positions) {
  const there = new Set(positions);
  const gaps = [];
  for (let position = positions[0]; position < positions[positions.length - 1]; position += 1) {
    if (!there.has(position)) gaps.push(position);
  }
  return gaps;
}

/**
 * A word and all words below it, in surface order.
 * @param {readonly number[]} heads
 * @param {number} top
 */
function belowOf(heads, top) {
  const found = [];
  for (let position = 1; position <= heads.length; position += 1) {
    let place = position;
    while (place > 0 && place !== top) place = heads[place - 1];
    if (place === top) found.push(position);
  }
  return found;
}
