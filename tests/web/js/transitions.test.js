// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  ACTIONS,
  apply,
  arcOf,
  initial,
  invariants,
  isTerminal,
  nodesOf,
  obstacle,
  run,
  stepsTaken,
  trees,
  yieldOf,
} from "../../../src/arctree/web/static/transitions.js";

const BOOK = "SSRSSSLLRR"; // book me the morning flight

test("the paper's derivation is replayed row by row", () => {
  const rows = run(5, BOOK).map(({ stack, next }) => [stack.join(" "), next]);
  assert.deepEqual(rows, [
    ["0", 1],
    ["0 1", 2],
    ["0 1 2", 3],
    ["0 1", 3],
    ["0 1 3", 4],
    ["0 1 3 4", 5],
    ["0 1 3 4 5", 6],
    ["0 1 3 5", 6],
    ["0 1 5", 6],
    ["0 1", 6],
    ["0", 6],
  ]);
  const last = run(5, BOOK)[10];
  assert.deepEqual(last.heads, [0, 1, 5, 5, 1]);
  assert.deepEqual(last.arcs, [
    [1, 2],
    [5, 4],
    [5, 3],
    [1, 5],
    [0, 1],
  ]);
  assert.ok(isTerminal(last));
});

test("only the last configuration is terminal, and each knows its step", () => {
  const configurations = run(5, BOOK);
  assert.deepEqual(configurations.map(isTerminal), [...Array(10).fill(false), true]);
  assert.deepEqual(
    configurations.map(stepsTaken),
    configurations.map((_, index) => index),
  );
});

test("an illegal action says why, in the words of the core", () => {
  const start = initial(2);
  assert.equal(obstacle(start, "S"), null);
  assert.equal(obstacle(start, "L"), "the stack holds fewer than two items");
  assert.equal(obstacle(start, "R"), "the stack holds fewer than two items");
  const one = apply(start, "S");
  assert.equal(obstacle(one, "L"), "the root cannot become a dependent");
  assert.equal(
    obstacle(one, "R"),
    "the root takes its one dependent last, when the buffer is empty",
  );
  const read = apply(one, "S");
  assert.equal(obstacle(read, "S"), "the buffer is empty");
  assert.throws(() => apply(read, "S"), /^Error: SHIFT is not legal: the buffer is empty$/);
  assert.throws(() => apply(one, "L"), /^Error: LEFTARC is not legal: the root cannot/);
  assert.throws(() => apply(read, "X"), /"X" is no action/);
  assert.throws(() => initial(0), /at least one word/);
});

test("a step changes nothing that was there before", () => {
  const before = run(5, BOOK.slice(0, 6))[6];
  const copy = JSON.stringify(before);
  apply(before, "L");
  apply(before, "R");
  assert.equal(JSON.stringify(before), copy);
  assert.throws(() => /** @type {number[]} */ (before.stack).push(7), TypeError);
  assert.throws(() => /** @type {number[]} */ (before.heads).fill(0), TypeError);
  assert.throws(() => /** @type {any} */ (before).arcs.push([1, 2]), TypeError);
  assert.throws(() => {
    /** @type {any} */ (before).next = 1;
  }, TypeError);
});

test("every legal sequence ends in one tree after 2n steps", () => {
  const agenda = [initial(4)];
  let finished = 0;
  for (let item = agenda.pop(); item !== undefined; item = agenda.pop()) {
    const configuration = item;
    const legal = ACTIONS.filter((action) => obstacle(configuration, action) === null);
    assert.equal(legal.length === 0, isTerminal(configuration));
    if (legal.length === 0) {
      assert.equal(stepsTaken(configuration), 8);
      assert.equal(trees(configuration).length, 1);
      finished += 1;
    }
    agenda.push(...legal.map((action) => apply(configuration, action)));
  }
  assert.equal(finished, 5 * 8); // Catalan's number of shapes below the root, a side for each arc
});

test("the trees grow as the stack does", () => {
  const configurations = run(5, BOOK);
  assert.deepEqual(trees(configurations[0]), []);
  const [book, flight] = trees(configurations[8]);
  assert.deepEqual([book.anchor, book.first, book.last], [1, 1, 2]);
  assert.deepEqual([flight.anchor, flight.first, flight.last], [5, 3, 5]);
  assert.deepEqual(
    flight.left.map((tree) => tree.anchor),
    [3, 4],
  );
  const [finished] = trees(configurations[10]);
  assert.deepEqual(yieldOf(finished), [1, 2, 3, 4, 5]);
  assert.deepEqual(
    nodesOf(finished).map((node) => node.anchor),
    [1, 2, 5, 3, 4],
  );
});

test("the arc of an action is told before it is taken", () => {
  const [, , read] = run(2, "SS");
  assert.deepEqual(arcOf(read, "L"), [2, 1]);
  assert.deepEqual(arcOf(read, "R"), [1, 2]);
  assert.equal(arcOf(read, "S"), null);
  assert.equal(arcOf(initial(2), "R"), null);
});

test("the invariants hold at every step", () => {
  for (const configuration of run(5, BOOK)) {
    assert.deepEqual(
      invariants(configuration).map(({ name, holds }) => [name, holds]),
      [
        ["contiguous yields", true],
        ["unique anchors", true],
        ["licensed sides", true],
      ],
    );
  }
  const details = invariants(run(5, BOOK)[8]).map(({ detail }) => detail);
  assert.match(details[0], /1–2, 3–5/);
  assert.match(details[1], /5 words, 5 anchors/);
  assert.match(details[2], /3 dependents/);
});

test("an invariant that does not hold is found out", () => {
  /** @param {object} change */
  const broken = (change) => {
    const configuration = { ...run(4, "SSSS")[4], ...change };
    return invariants(configuration)
      .filter(({ holds }) => !holds)
      .map(({ name, detail }) => `${name}: ${detail}`);
  };
  assert.deepEqual(broken({}), []);
  const gap = broken({ stack: [0, 1, 2, 4], arcs: [[1, 3]] });
  assert.match(gap[0], /^contiguous yields: the yield 1 3 of the tree over word 1/);
  const lost = broken({ stack: [0, 1, 2, 3] });
  assert.match(
    lost.join("; "),
    /contiguous yields: the stack ends at word 3.*unique anchors: word 4 anchors 0 nodes/,
  );
  const swapped = broken({ stack: [0, 2, 1, 3, 4] });
  assert.match(
    swapped.join("; "),
    /contiguous yields: the tree over word 2 begins at word 2, not at 1/,
  );
  const late = broken({
    stack: [0, 3, 4],
    arcs: [
      [3, 2],
      [2, 1],
    ],
  });
  assert.match(late.join("; "), /contiguous yields: the tree over word 3 carries a wrong span/);
  const twice = broken({
    stack: [0, 1, 4],
    arcs: [
      [1, 2],
      [4, 2],
      [4, 3],
    ],
  });
  assert.match(twice.join("; "), /unique anchors: word 2 anchors 2 nodes/);
  const outside = broken({
    stack: [0, 1, 4],
    arcs: [
      [4, 2],
      [4, 3],
    ],
  });
  assert.match(outside.join("; "), /licensed sides: the children of word 4 stand at 3 2 4/);
});

test("a sentence of 1,000 words may be 1,000 nodes deep", () => {
  const size = 1000;
  const [finished] = trees(run(size, "S".repeat(size) + "R".repeat(size))[2 * size]);
  assert.equal(yieldOf(finished).length, size);
  assert.ok(
    invariants(run(size, `${"S".repeat(size)}${"L".repeat(size - 1)}`)[2 * size - 1]).every(
      ({ holds }) => holds,
    ),
  );
});
