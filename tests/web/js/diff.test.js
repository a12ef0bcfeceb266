// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { compare } from "../../../src/arctree/web/static/diff.js";
import { canonical } from "../../../src/arctree/web/static/oracle.js";

/**
 * @param {string} text
 * @param {number[]} heads
 * @param {string[]} labels
 */
function analysis(text, heads, labels) {
  const words = text.split(" ").map((form) => ({ form, tag: "_" }));
  return { words, heads, labels, transitions: canonical(heads) };
}

const GOLD = analysis(
  "I saw a man there",
  [2, 0, 4, 2, 2],
  ["nsubj", "root", "det", "obj", "advmod"],
);
const SYSTEM = analysis(
  "I saw a man there",
  [2, 0, 4, 2, 4],
  ["nsubj", "root", "det", "dobj", "advmod"],
);

test("the same analysis differs in nothing", () => {
  assert.deepEqual(compare(GOLD, GOLD), { arcs: [], labels: [], parts: null });
});

test("arcs, labels, and where the derivations part", () => {
  assert.deepEqual([GOLD.transitions, SYSTEM.transitions], ["SSLSSLRSRR", "SSLSSLSRRR"]);
  assert.deepEqual(compare(GOLD, SYSTEM), { arcs: [5], labels: [4], parts: 6 });
  assert.deepEqual(compare(SYSTEM, GOLD), { arcs: [5], labels: [4], parts: 6 });
});

test("tags may differ, and derivations of the same tree part as well", () => {
  const other = {
    ...GOLD,
    words: GOLD.words.map(({ form }) => ({ form, tag: "X" })),
    transitions: "SSSSLRSRLR",
  };
  assert.deepEqual(compare(GOLD, other), { arcs: [], labels: [], parts: 2 });
});

test("two different sentences cannot be compared", () => {
  const shorter = analysis("I saw", [2, 0], ["nsubj", "root"]);
  assert.throws(
    () => compare(GOLD, shorter),
    /different sentences: one has 5 words, the other 2\./,
  );
  const changed = {
    ...GOLD,
    words: GOLD.words.map(({ form }, index) => ({ form: index === 3 ? "dog" : form })),
  };
  assert.throws(() => compare(GOLD, changed), /word 4 is “man” in one, “dog” in the other/);
});
