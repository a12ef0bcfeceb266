// @ts-check
/**
 * The columns that the pictures share: one for each word, and one for the root before them. The
 * arcs, the trees and the buffer of one moment stand exactly over each other.
 *
 * @typedef {object} Columns
 * @property {import("../layout.js").PlacedWords} placed  with the margins already in it
 * @property {number} root  the middle of the root's column
 * @property {number} rootWidth
 * @property {number} total  how wide the pictures are
 * @property {string[]} shown  each word as it is written, shortened if it is very long
 * @property {string[]} tags  "" where there is none
 * @property {(position: number) => number} x  the middle of a column; position 0 is the root
 * @property {boolean} rtl
 * @property {boolean} isNarrow
 * @property {number} air  what a box takes around its columns
 */
import { placeWords, widest } from "../layout.js";
import { goldArcs } from "../state.js";
import { SMALL_FONT, WORD_FONT, shortenText, textWidth, visibleText } from "../svg.js";

export const UNLABELLED = "UA";

const COLUMN_SLOT = 9;
const LONGEST_WORD = 190;
const LONGEST_LABEL = 130;
const ROOT_WIDTH = 44;
const NARROW = 560;
const WIDEST_GAP = 60;

/**
 * Columns as close as they can be; if there is room, a short sentence spreads into it.
 * @param {import("../state.js").DerivationState} state
 * @param {number} room
 * @returns {Columns}
 */
export function wordColumns(state, room) {
  const gap = room < NARROW ? 9 : 18;
  const columns = columnsWith(state, gap, room < NARROW);
  const left = room - columns.total;
  if (left < state.size) return columns;
  return columnsWith(state, Math.min(WIDEST_GAP, gap + left / state.size - 1), room < NARROW);
}

/**
 * @param {import("../state.js").DerivationState} state
 * @param {number} gap
 * @param {boolean} isNarrow
 * @returns {Columns}
 */
function columnsWith(state, gap, isNarrow) {
  const { exploration } = state;
  const rtl = Boolean(exploration.rtl);
  const margin = isNarrow ? 12 : 22;
  const shown = state.words.map((word) => shortenText(wordText(word), WORD_FONT, LONGEST_WORD));
  const tags = state.words.map((word) =>
    word.tag && word.tag !== "_" ? shortenText(visibleText(word.tag), SMALL_FONT, LONGEST_LABEL) : "",
  );
  const all = [exploration.labels, state.labels];
  const labels = state.words.map((_, index) =>
    Math.max(...all.map((row) => labelWidth(row[index])), labelWidth(UNLABELLED)),
  );
  const widths = widest(
    shown.map((word) => textWidth(word, WORD_FONT)),
    tags.map((tag) => textWidth(tag, SMALL_FONT)),
    labels.map((width) => width + 16),
    shown.map((word) => nameWidth(word, 3) + 16),
  );
  const arcs = [...goldArcs(exploration.heads), ...(state.lifting ? goldArcs(state.heads) : [])];
  const placed = placeWords(widths, {
    gap,
    slot: COLUMN_SLOT,
    rtl,
    arcs,
    labelWidths: labels.map((width) => width + 26),
  });
  const rootGap = Math.max(14, gap);
  const before = margin + (rtl ? 0 : ROOT_WIDTH + rootGap);
  const centres = placed.centres.map((place) => place + before);
  const total = placed.total + ROOT_WIDTH + rootGap + 2 * margin;
  const root = rtl ? total - margin - ROOT_WIDTH / 2 : margin + ROOT_WIDTH / 2;
  return {
    placed: { ...placed, centres },
    root,
    rootWidth: ROOT_WIDTH,
    total: Math.ceil(total),
    shown,
    tags,
    x: (position) => (position === 0 ? root : centres[position - 1]),
    rtl,
    isNarrow,
    air: Math.min(6, gap / 2 - 2), // so that boxes side by side are 4 pixels apart
  };
}

/**
 * A word as it is shown: what cannot be seen is made visible.
 * @param {{form: string, shown?: string}} word
 */
export function wordText(word) {
  return word.shown ?? word.form;
}

/**
 * @param {string} label
 */
export function labelText(label) {
  return shortenText(visibleText(label), SMALL_FONT, LONGEST_LABEL);
}

/**
 * @param {string} label
 */
export function labelWidth(label) {
  return textWidth(labelText(label ?? ""), SMALL_FONT, "600"); // a new arc's label is bold
}

const RAISED = { "(": "⁽", ")": "⁾", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/**
 * A prime for each dependent that a tree has taken; many of them as a raised number.
 * @param {number} taken
 */
export function primes(taken) {
  if (taken <= 3) return "′".repeat(taken);
  return [...`(${taken})`].map((letter) => RAISED[/** @type {keyof typeof RAISED} */ (letter)]).join("");
}

/**
 * How wide the name of a tree is: t″ and its word as a subscript.
 * @param {string} word
 * @param {number} taken
 */
export function nameWidth(word, taken) {
  return textWidth(`t${primes(taken)}`, 15, "italic") + textWidth(word, 12) + 2;
}
