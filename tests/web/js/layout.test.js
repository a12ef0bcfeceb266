// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  arcLevels,
  placeArcs,
  placeLabels,
  placeTrees,
  placeWords,
  widest,
} from "../../../src/arctree/web/static/layout.js";
import { canonical } from "../../../src/arctree/web/static/oracle.js";
import { run, trees } from "../../../src/arctree/web/static/transitions.js";
import { anyHeads, arcsOf, projectiveHeads, randomNumbers } from "./sentences.js";

const NEARLY = 1e-6;

test("an arc lies above all that it covers, as low as it can", () => {
  assert.deepEqual(
    arcLevels([
      [1, 2],
      [4, 5],
      [3, 5],
      [1, 5],
    ]),
    [1, 1, 2, 3],
  );
  assert.deepEqual(arcLevels([]), []);
  assert.deepEqual(
    arcLevels([
      [1, 2],
      [2, 3],
      [3, 4],
    ]),
    [1, 1, 1],
  );
});

test("arcs that cross are staggered", () => {
  const random = randomNumbers(3);
  assert.deepEqual(
    arcLevels([
      [1, 3],
      [2, 4],
    ]),
    [1, 2],
  );
  for (let round = 0; round < 50; round += 1) {
    const spans = arcsOf(anyHeads(20, random))
      .filter(([head]) => head > 0)
      .map(
        ([head, dependent]) =>
          /** @type {[number, number]} */ ([Math.min(head, dependent), Math.max(head, dependent)]),
      );
    const levels = arcLevels(spans);
    for (const [one, [low, high]] of spans.entries()) {
      for (const [other, [start, end]] of spans.entries()) {
        if (one !== other && low < end && start < high) {
          assert.notEqual(levels[one], levels[other]);
          assert.ok(high - low <= end - start || levels[one] > levels[other]);
        }
      }
    }
  }
});

test("words stand side by side, a gap apart", () => {
  const { centres, total } = placeWords([10, 30, 20], { gap: 5 });
  assert.deepEqual(centres, [5, 30, 60]);
  assert.equal(total, 70);
  assert.deepEqual(placeWords([40]).centres, [20]);
});

test("a sentence that runs right to left is the mirror image", () => {
  const random = randomNumbers(5);
  const heads = projectiveHeads(30, random);
  const arcs = arcsOf(heads);
  const widths = heads.map(() => 10 + 60 * random());
  const labelWidths = heads.map(() => 20 + 60 * random());
  const options = { gap: 12, slot: 8, arcs, labelWidths };
  const straight = placeWords(widths, options);
  const mirrored = placeWords(widths, { ...options, rtl: true });
  const mirror = (/** @type {number} */ place) => straight.total - place;
  assert.equal(mirrored.total, straight.total);
  assertNear(mirrored.centres, straight.centres.map(mirror));
  assert.ok(mirrored.centres[0] > mirrored.centres[29]);
  const placed = placeArcs(arcs, straight);
  const placedMirrored = placeArcs(arcs, mirrored);
  assertNear(
    placedMirrored.map(({ from }) => from),
    placed.map(({ from }) => mirror(from)),
  );
  assertNear(
    placedMirrored.map(({ to }) => to),
    placed.map(({ to }) => mirror(to)),
  );
});

test("no text overlaps another, however long the sentence, crossing arcs or not", () => {
  const random = randomNumbers(7);
  for (const size of [1, 2, 5, 60, 100]) {
    for (const draw of [projectiveHeads, anyHeads]) {
      for (const rtl of [false, true]) {
        const arcs = arcsOf(draw(size, random));
        const widths = arcs.map(() => 5 + 80 * random());
        const labelWidths = arcs.map(() => 10 + 150 * random());
        const words = placeWords(widths, { gap: 10, slot: 9, rtl, arcs, labelWidths });
        const columns = words.centres.map((x, index) => ({ x, width: widths[index] + 10 }));
        assertApart(columns, -5, words.total + 5);
        assertLabelsApart(arcs, words, labelWidths);
      }
    }
  }
});

test("nor do labels overlap when some of the arcs are drawn, or another tree over the same words", () => {
  const random = randomNumbers(9);
  for (let round = 0; round < 20; round += 1) {
    const one = arcsOf(projectiveHeads(30, random));
    const other = arcsOf(anyHeads(30, random));
    const labelWidths = one.map(() => 10 + 90 * random());
    const words = placeWords(
      one.map(() => 20),
      { slot: 9, arcs: [...one, ...other], labelWidths },
    );
    assertLabelsApart(one, words, labelWidths);
    assertLabelsApart(other, words, labelWidths);
    assertLabelsApart(
      one.filter(() => random() < 0.5),
      words,
      labelWidths,
    );
  }
});

test("an arc of one step gets the room that its label needs, and no word more than that", () => {
  const arcs = arcsOf([2, 0]);
  const words = placeWords([10, 10], { gap: 4, arcs, labelWidths: [100, 10] });
  assert.deepEqual(words.centres, [5, 105]);
  assert.equal(words.total, 110);
});

test("the root's label stays in the picture", () => {
  const words = placeWords([10], { arcs: [[0, 1]], labelWidths: [50] });
  assert.deepEqual([words.centres, words.total], [[25], 50]);
  const [arc] = placeArcs([[0, 1]], words);
  assert.deepEqual(arc, { head: 0, dependent: 1, level: 1, from: 25, to: 25 });
});

test("the root's arc is the highest", () => {
  const arcs = arcsOf([0, 1, 5, 5, 1]);
  const levels = placeArcs(arcs, placeWords([9, 9, 9, 9, 9])).map(({ level }) => level);
  assert.deepEqual(levels, [4, 1, 2, 1, 3]);
});

test("arcs that meet at a word arrive in slots, nested ones inside", () => {
  const arcs = arcsOf([3, 3, 0, 3, 3]);
  const words = placeWords([10, 10, 10, 10, 10], { slot: 8, arcs });
  assert.equal(words.widths[2], 40);
  const placed = placeArcs(arcs, words);
  const at = placed.map(({ head, from, to }) => (head === 0 ? to : from) - words.centres[2]);
  // To word 2, to word 1, the root's, to word 5, to word 4, from left to right.
  assertNear(at, [-8, -16, 0, 16, 8]);
});

test("a head of very many dependents does not grow for ever", () => {
  const arcs = arcsOf([0, ...new Array(99).fill(1)]);
  const words = placeWords(new Array(100).fill(10), { slot: 8, arcs });
  assert.equal(words.widths[0], 48);
  const starts = placeArcs(arcs, words)
    .slice(1)
    .map(({ from }) => from);
  assert.ok(
    Math.max(...starts) <= words.centres[0] + 24 && Math.min(...starts) >= words.centres[0] - 24,
  );
  assert.equal(new Set(starts).size, 99);
});

test("arcs that were not reckoned with stay over their words", () => {
  const words = placeWords([10, 10, 10, 10], { slot: 8 });
  for (const { head, from } of placeArcs(
    [
      [2, 1],
      [2, 3],
      [2, 4],
    ],
    words,
  )) {
    assert.ok(Math.abs(from - words.centres[head - 1]) <= 5);
  }
});

test("an arc that two trees share counts once", () => {
  const arcs = arcsOf(projectiveHeads(20, randomNumbers(15)));
  const widths = arcs.map(() => 10);
  const once = placeWords(widths, { slot: 9, arcs });
  assert.deepEqual(placeWords(widths, { slot: 9, arcs: [...arcs, ...arcs] }), once);
});

test("a label that was not reckoned with gets the room there is", () => {
  const words = placeWords([20, 20], { gap: 10 });
  const [label] = placeLabels(placeArcs([[1, 2]], words), [0, 80]);
  assert.deepEqual(label, { head: 1, dependent: 2, level: 1, x: 25, width: 30, fits: false });
});

test("as a derivation goes on, no arc moves to another level", () => {
  const random = randomNumbers(11);
  const heads = projectiveHeads(40, random);
  const configurations = run(40, canonical(heads));
  const words = placeWords(heads.map(() => 10));
  const last = placeArcs(configurations[80].arcs, words);
  for (const { arcs } of configurations) {
    const levels = placeArcs(arcs, words).map(({ level }) => level);
    assert.deepEqual(
      levels,
      last.slice(0, arcs.length).map(({ level }) => level),
    );
  }
});

test("nodes stand over their words, and below their parents", () => {
  const configuration = run(5, "SSRSSSLL")[8];
  const { nodes, height } = placeTrees(trees(configuration), [1, 2, 3, 4, 5]);
  assert.equal(height, 2);
  assert.deepEqual(
    nodes.map(({ anchor, parent, depth, x, tree }) => [anchor, parent, depth, x, tree]),
    [
      [1, 0, 0, 1, 0],
      [2, 1, 1, 2, 0],
      [5, 0, 0, 5, 1],
      [3, 5, 1, 3, 1],
      [4, 5, 1, 4, 1],
    ],
  );
  assert.deepEqual(placeTrees([], []), { nodes: [], height: 0 });
});

test("all trees end in the same row", () => {
  const { nodes, height } = placeTrees(trees(run(4, "SSSLL")[5]), [1, 2, 3, 4]);
  assert.equal(height, 2);
  const single = placeTrees(trees(run(4, "SSSRRS")[6]), [1, 2, 3, 4]);
  assert.deepEqual(
    single.nodes.map(({ anchor, row }) => [anchor, row]),
    [
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 2],
    ],
  );
  assert.deepEqual(
    nodes.map(({ row, depth }) => row - depth),
    [0, 0, 0],
  );
});

test("no branch cuts through a node, nor through the line from a node down to its word", () => {
  const random = randomNumbers(13);
  for (let round = 0; round < 20; round += 1) {
    const heads = projectiveHeads(25, random);
    for (const configuration of run(25, canonical(heads))) {
      const { nodes } = placeTrees(
        trees(configuration),
        heads.map((_, index) => index * 10),
      );
      const byAnchor = new Map(nodes.map((node) => [node.anchor, node]));
      for (const node of nodes.filter(({ parent }) => parent > 0)) {
        const parent =
          /** @type {import("../../../src/arctree/web/static/layout.js").PlacedNode} */ (
            byAnchor.get(node.parent)
          );
        for (const other of nodes) {
          const share = (other.x - parent.x) / (node.x - parent.x);
          if (share > 0 && share < 1) {
            assert.ok(parent.row + share * (node.row - parent.row) < other.row);
          }
        }
      }
    }
  }
});

test("a column is as wide as the widest thing in it", () => {
  assert.deepEqual(widest([1, 5, 2], [4, 0, 2], [0, 0, 3]), [4, 5, 3]);
});

/**
 * @param {number[]} found
 * @param {number[]} expected
 */
function assertNear(found, expected) {
  assert.equal(found.length, expected.length);
  found.forEach((value, index) => {
    assert.ok(Math.abs(value - expected[index]) < NEARLY, `${value} is not ${expected[index]}`);
  });
}

/**
 * @param {[number, number][]} arcs
 * @param {import("../../../src/arctree/web/static/layout.js").PlacedWords} words
 * @param {number[]} labelWidths
 */
function assertLabelsApart(arcs, words, labelWidths) {
  const labels = placeLabels(placeArcs(arcs, words), labelWidths);
  assert.ok(
    labels.every(({ fits, width, dependent }) => fits && width === labelWidths[dependent - 1]),
  );
  for (const level of new Set(labels.map((label) => label.level))) {
    assertApart(
      labels.filter((label) => label.level === level),
      0,
      words.total,
    );
  }
}

/**
 * Boxes that share no place, and none of which leaves the picture.
 * @param {{x: number, width: number}[]} boxes
 * @param {number} start
 * @param {number} end
 */
function assertApart(boxes, start, end) {
  let free = start;
  for (const { x, width } of [...boxes].sort((one, other) => one.x - other.x)) {
    assert.ok(x - width / 2 >= free - NEARLY, `a box begins at ${x - width / 2}, before ${free}`);
    free = x + width / 2;
  }
  assert.ok(free <= end + NEARLY);
}
