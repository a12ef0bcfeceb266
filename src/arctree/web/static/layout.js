// @ts-check
/**
 * The geometry of the views, in plain numbers: text is measured by the caller.
 *
 * Words stand along one line, each in the middle of a column. Arcs rise from it by *levels*,
 * from 1 on, and the nodes of trees hang by *depth*, from 0 on: the pen decides what they are
 * worth. Columns are wide enough for what stands in them, and for the labels of the arcs above,
 * so that text never overlaps. A sentence that runs right to left is mirrored.
 *
 *     const words = placeWords(widths, { gap: 16, slot: 8, rtl, arcs, labelWidths });
 *     const placed = placeArcs(arcs, words);
 *     const labels = placeLabels(placed, labelWidths);
 *     const { nodes } = placeTrees(trees(configuration), words.centres);
 *
 * @typedef {import("./transitions.js").Tree} Tree
 * @typedef {readonly [number, number]} Span
 * @typedef {object} PlacedWords
 * @property {number[]} centres  the middle of word p's column, at index p - 1
 * @property {number[]} widths  of the columns
 * @property {number} total  how wide all of it is
 * @property {number} slot  the distance between the ends of arcs that meet at a word
 * @property {boolean} rtl
 * @typedef {object} PlacedArc
 * @property {number} head
 * @property {number} dependent
 * @property {number} level  of the root's arc one more than of any other
 * @property {number} from  where it leaves its head; the root's arc comes straight down
 * @property {number} to  where it arrives at its dependent
 * @typedef {object} PlacedNode
 * @property {number} anchor  the word that the node stands over
 * @property {number} parent  the anchor of the node above; 0 for the top of a tree
 * @property {number} depth  0 for the top of a tree
 * @property {number} row  the same, but so that all trees end in the same row: the last
 * @property {number} x
 * @property {number} tree  the index of its tree
 */

/**
 * The lowest levels at which each arc lies above all arcs that it covers. Arcs that cross are
 * kept apart as well: of two arcs that pass over the same gap between neighbouring words, the
 * longer one is higher.
 * @param {readonly Span[]} spans  two positions each, the lower one first
 * @returns {number[]}
 */
export function arcLevels(spans) {
  /** @type {number[]} */
  const heights = []; // of what lies so far over the gap after each word
  const levels = new Array(spans.length).fill(0);
  const order = spans.map((_, index) => index);
  order.sort((one, other) => spans[one][1] - spans[one][0] - (spans[other][1] - spans[other][0]));
  for (const index of order) {
    const [low, high] = spans[index];
    let highest = 0;
    for (let gap = low; gap < high; gap += 1) {
      highest = Math.max(highest, heights[gap] ?? 0);
    }
    levels[index] = highest + 1;
    for (let gap = low; gap < high; gap += 1) {
      heights[gap] = levels[index];
    }
  }
  return levels;
}

/**
 * The widths of columns in which several things stand, one above the other.
 * @param {...readonly number[]} rows  the widths of words, tags, labels of nodes, ...
 * @returns {number[]}
 */
export function widest(...rows) {
  return rows[0].map((_, column) => Math.max(...rows.map((row) => row[column])));
}

/**
 * Place words so that none touches another and every arc is as long as its label needs: any
 * arcs of those given, whichever of them are drawn together. So the words need not move while a
 * derivation goes on, nor between one tree and another.
 * @param {readonly number[]} widths  what each word's column must hold
 * @param {object} [options]
 * @param {number} [options.gap]  between columns
 * @param {number} [options.slot]  between the ends of arcs that meet at a word
 * @param {boolean} [options.rtl]
 * @param {readonly Span[]} [options.arcs]  (head, dependent) pairs, of one tree or of several
 * @param {readonly number[]} [options.labelWidths]  of each word's label, its air included
 * @returns {PlacedWords}
 */
export function placeWords(
  widths,
  { gap = 16, slot = 0, rtl = false, arcs = [], labelWidths = [] } = {},
) {
  const counts = widths.map(() => 0); // of the arcs that meet at each word
  const arriving = widths.map(() => /** @type {Span[]} */ ([])); // by the arc's later end
  for (const [head, dependent] of distinct(arcs)) {
    counts[dependent - 1] += 1;
    if (head > 0) {
      counts[head - 1] += 1;
      arriving[Math.max(head, dependent) - 1].push([head, dependent]);
    }
  }
  const columns = widths.map((width, word) =>
    Math.max(width, Math.min(counts[word], MOST_SLOTS) * slot),
  );
  const reaches = counts.map((count) => spreadOf(count, slot) / 2); // of slots, from the middle
  /** @type {number[]} */
  const places = [];
  columns.forEach((width, word) => {
    let place = word === 0 ? width / 2 : places[word - 1] + (columns[word - 1] + width) / 2 + gap;
    for (const [head, dependent] of arriving[word]) {
      const earlier = Math.min(head, dependent) - 1;
      const label = labelWidths[dependent - 1] ?? 0;
      place = Math.max(place, places[earlier] + reaches[earlier] + label + reaches[word]);
    }
    places.push(place);
  });
  const [before, after] = roomForRoots(arcs, labelWidths, places, reaches);
  const extent =
    places.length === 0 ? 0 : places[places.length - 1] + columns[columns.length - 1] / 2;
  const total = before + Math.max(extent, after);
  const centres = places.map((place) => (rtl ? total - before - place : before + place));
  return { centres, widths: columns, total, slot, rtl };
}

/**
 * Place arcs over words; those that meet at a word stay apart, in slots. To the left come
 * first, the shortest outermost, then the root's arc, then to the right, the longest
 * innermost: so nested arcs do not cut each other's ends.
 * @param {readonly Span[]} arcs  (head, dependent) pairs; head 0 is the root
 * @param {PlacedWords} words
 * @returns {PlacedArc[]}
 */
export function placeArcs(arcs, words) {
  const { centres, widths, slot = 0, rtl = false } = words;
  const ends = slotOffsets(arcs, centres.length, slot, widths);
  const direction = rtl ? -1 : 1;
  const levels = arcLevels(
    arcs.map(([head, dependent]) =>
      head === 0 ? [0, 0] : [Math.min(head, dependent), Math.max(head, dependent)],
    ),
  );
  const highest = arcs.reduce(
    (most, [head], index) => (head === 0 ? most : Math.max(most, levels[index])),
    0,
  );
  return arcs.map(([head, dependent], index) => {
    const to = centres[dependent - 1] + direction * ends.to[index];
    const from = head === 0 ? to : centres[head - 1] + direction * ends.from[index];
    return { head, dependent, level: head === 0 ? highest + 1 : levels[index], from, to };
  });
}

/**
 * The place of each arc's label: the middle of its level. A label is as wide as it needs, or,
 * where the words were not placed for its arc, as wide as the arc lets it be.
 * @param {readonly PlacedArc[]} arcs
 * @param {readonly number[]} labelWidths  of each word's label, its air included
 * @returns {{head: number, dependent: number, level: number, x: number, width: number, fits: boolean}[]}
 */
export function placeLabels(arcs, labelWidths) {
  return arcs.map(({ head, dependent, level, from, to }) => {
    const wanted = labelWidths[dependent - 1] ?? 0;
    const room = head === 0 ? wanted : Math.abs(to - from);
    const fits = wanted <= room + TOLERANCE;
    return { head, dependent, level, x: (from + to) / 2, width: fits ? wanted : room, fits };
  });
}

/**
 * Place trees with each node over the word it is anchored in, in preorder. Two nodes never
 * share a column, and no branch cuts through a node.
 * @param {readonly Tree[]} trees
 * @param {readonly number[]} centres  of the words
 * @returns {{nodes: PlacedNode[], height: number}}  height is the number of rows
 */
export function placeTrees(trees, centres) {
  /** @type {PlacedNode[]} */
  const nodes = [];
  const deepest = trees.map(() => 0);
  trees.forEach((top, tree) => {
    const agenda = [{ node: top, parent: 0, depth: 0 }];
    for (let item = agenda.pop(); item !== undefined; item = agenda.pop()) {
      const { node, parent, depth } = item;
      nodes.push({ anchor: node.anchor, parent, depth, row: 0, x: centres[node.anchor - 1], tree });
      deepest[tree] = Math.max(deepest[tree], depth);
      for (const side of [node.right, node.left]) {
        for (let index = side.length - 1; index >= 0; index -= 1) {
          agenda.push({ node: side[index], parent: node.anchor, depth: depth + 1 });
        }
      }
    }
  });
  const height = deepest.reduce((most, depth) => Math.max(most, depth + 1), 0);
  for (const node of nodes) {
    node.row = height - 1 - deepest[node.tree] + node.depth;
  }
  return { nodes, height };
}

// A head of many dependents does not grow for ever: beyond so many, its slots move closer.
const MOST_SLOTS = 6;

// What sums of fractions may differ by.
const TOLERANCE = 1e-6;

/**
 * Where arcs meet their words, as distances from the words' middles, in reading direction.
 * @param {readonly Span[]} arcs
 * @param {number} size
 * @param {number} slot
 * @param {readonly number[]} [widths]  of columns that the ends must not leave
 * @returns {{from: number[], to: number[]}}
 */
function slotOffsets(arcs, size, slot, widths) {
  /** @type {{other: number, index: number, ends: number[]}[][]} */
  const meeting = Array.from({ length: size }, () => []);
  const from = new Array(arcs.length).fill(0);
  const to = new Array(arcs.length).fill(0);
  arcs.forEach(([head, dependent], index) => {
    meeting[dependent - 1].push({ other: head === 0 ? dependent : head, index, ends: to });
    if (head > 0) {
      meeting[head - 1].push({ other: dependent, index, ends: from });
    }
  });
  meeting.forEach((row, place) => {
    const word = place + 1;
    row.sort(
      (one, another) =>
        Math.sign(one.other - word) - Math.sign(another.other - word) || another.other - one.other,
    );
    const spread = Math.min(spreadOf(row.length, slot), widths?.[place] ?? Infinity);
    row.forEach(({ index, ends }, rank) => {
      ends[index] = row.length === 1 ? 0 : (spread * rank) / (row.length - 1) - spread / 2;
    });
  });
  return { from, to };
}

/**
 * From the first to the last of the slots at a word where so many arcs meet.
 * @param {number} count
 * @param {number} slot
 */
function spreadOf(count, slot) {
  return slot * Math.min(Math.max(count - 1, 0), MOST_SLOTS - 1);
}

/**
 * How far the labels of roots' arcs reach out: before the first column, and to which place. They
 * may be wider than what stands below them, and must not leave the picture.
 * @param {readonly Span[]} arcs
 * @param {readonly number[]} labelWidths
 * @param {readonly number[]} places
 * @param {readonly number[]} reaches
 */
function roomForRoots(arcs, labelWidths, places, reaches) {
  let before = 0;
  let after = 0;
  for (const [head, dependent] of arcs) {
    if (head === 0) {
      const half = (labelWidths[dependent - 1] ?? 0) / 2 + reaches[dependent - 1];
      before = Math.max(before, half - places[dependent - 1]);
      after = Math.max(after, places[dependent - 1] + half);
    }
  }
  return [before, after];
}

/**
 * @param {readonly Span[]} arcs
 * @returns {Span[]}
 */
function distinct(arcs) {
  return [...new Map(arcs.map((arc) => [arc.join(" "), arc])).values()];
}
