// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  canonical,
  choices,
  complete,
  count,
  leaves,
  next,
  nth,
  previous,
  rank,
} from "../../../src/arctree/web/static/oracle.js";
import { initial, run } from "../../../src/arctree/web/static/transitions.js";

const BOOK = [0, 1, 5, 5, 1];
const SLEEPS = [2, 0, 2]; // he sleeps well
const CROSSING = [3, 4, 0, 3]; // the arcs 3 -> 1 and 4 -> 2 cross

test("the paper's sentence has one derivation", () => {
  assert.equal(canonical(BOOK), "SSRSSSLLRR");
  assert.equal(count(BOOK), 1n);
  assert.equal(next(BOOK, canonical(BOOK)), null);
  assert.equal(previous(BOOK, canonical(BOOK)), null);
});

test("a head with dependents on both sides has several, the canonical one first", () => {
  assert.equal(count(SLEEPS), 2n);
  assert.deepEqual([nth(SLEEPS, 0n), nth(SLEEPS, 1n)], ["SSLSRR", "SSSRLR"]);
  assert.equal(next(SLEEPS, "SSLSRR"), "SSSRLR");
  assert.equal(previous(SLEEPS, "SSSRLR"), "SSLSRR");
});

test("a choice is to attach on the left now, or to read on", () => {
  const [, , configuration] = run(3, "SS");
  assert.deepEqual(choices(configuration, SLEEPS), ["L", "S"]);
  assert.deepEqual(choices(initial(3), SLEEPS), ["S"]);
});

test("there is no choice at the end, nor off the way to the tree", () => {
  assert.deepEqual(choices(run(3, "SSLSRR")[6], SLEEPS), []);
  assert.deepEqual(choices(run(3, "SSR")[3], SLEEPS), []); // a wrong arc
  assert.deepEqual(choices(run(3, "SSSL")[4], SLEEPS), []);
  assert.deepEqual(choices(run(3, "SSS")[3], [2, 3, 0]), []); // 2 can never take 1
  assert.deepEqual(choices(initial(4), CROSSING), []);
  assert.throws(() => choices(initial(4), SLEEPS), /3 heads for 4 words/);
});

test("where a sequence leaves the tree is told, and a prefix is completed", () => {
  assert.equal(leaves(SLEEPS, "SSLSRR"), null);
  assert.equal(leaves(SLEEPS, "SS"), null);
  assert.equal(leaves(SLEEPS, "SSR"), 2);
  assert.equal(leaves(SLEEPS, "SSSL"), 3);
  assert.equal(leaves(SLEEPS, "SSLSRRS"), 6);
  assert.equal(complete(SLEEPS, "SSS"), "SSSRLR");
  assert.equal(complete(SLEEPS, ""), canonical(SLEEPS));
  assert.equal(complete(SLEEPS, "SSSRLR"), "SSSRLR");
  assert.throws(() => complete(SLEEPS, "SSR"), /cannot be reached after action 3/);
});

test("a tree that is not projective has no derivation", () => {
  assert.equal(count(CROSSING), 0n);
  assert.throws(() => canonical(CROSSING), /not projective/);
  assert.throws(() => nth(CROSSING, 0n), /not projective/);
  assert.throws(() => leaves(CROSSING, "S"), /not projective/);
});

test("what is no tree has no derivation", () => {
  assert.equal(count([0, 0]), 0n); // two roots
  assert.equal(count([2, 1]), 0n); // a circle
  assert.throws(() => canonical([0, 0, 2]), /no derivation leads to it/);
});

test("what is no derivation has no rank, and what is no rank no derivation", () => {
  assert.throws(() => rank(SLEEPS, "SSL"), /no derivation of the tree/);
  assert.throws(() => rank(SLEEPS, "SSRSRR"), /no derivation of the tree/);
  assert.throws(() => nth(SLEEPS, 2n), /from 0 to 1/);
  assert.throws(() => nth(SLEEPS, -1n), /from 0 to 1/);
});

test("one head of 12 and 12 dependents: the ranks are those of all interleavings", () => {
  const heads = Array.from({ length: 25 }, (_, index) => (index === 12 ? 0 : 13));
  assert.equal(count(heads), 2704156n); // C(24, 12)
  for (const wanted of [0n, 1n, 999_999n, 2704154n, 2704155n]) {
    assert.equal(rank(heads, nth(heads, wanted)), wanted);
  }
  assert.equal(next(heads, nth(heads, 2704155n)), null);
  assert.ok(nth(heads, 2704155n).endsWith(`${"L".repeat(12)}R`)); // all on the right comes first
});

test("numbers beyond what a float holds are exact", () => {
  const heads = Array.from({ length: 301 }, (_, index) => (index === 150 ? 0 : 151));
  const total = count(heads);
  assert.equal(String(total).length, 89); // C(300, 150) = 9.37e88
  const wanted = total / 7n;
  assert.equal(rank(heads, nth(heads, wanted)), wanted);
  assert.equal(rank(heads, /** @type {string} */ (next(heads, nth(heads, wanted)))), wanted + 1n);
});
