// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { canonical } from "../../../src/arctree/web/static/oracle.js";
import { MOST_WORDS, decode, encode } from "../../../src/arctree/web/static/permalink.js";
import { anyHeads, projectiveHeads, randomNumbers } from "./sentences.js";

const BOOK = {
  words: [
    { form: "book", tag: "VB" },
    { form: "me", tag: "PRP" },
    { form: "<script>", tag: '"onload=' },
    { form: "صباح 😀", tag: "NN" },
    { form: "\ud800 a\nb", tag: "_" },
  ],
  heads: [0, 1, 5, 5, 1],
  labels: ["root", "iobj", "det", "obl↑nmod↑2", "dobj"],
  actions: "SSRSSSLLRR",
  step: 4,
};

test("a link leads back to where it was made", () => {
  assert.deepEqual(decode(encode(BOOK)), BOOK);
  assert.deepEqual(decode(`#${encode(BOOK)}`), BOOK);
  const untagged = { ...BOOK, words: BOOK.words.map(({ form }) => ({ form, tag: "_" })) };
  assert.deepEqual(decode(encode(untagged)), untagged);
  assert.equal(JSON.parse(Buffer.from(encode(untagged), "base64url").toString())[2], 0);
});

test("nothing in a link needs an escape in an address", () => {
  assert.match(encode(BOOK), /^[A-Za-z0-9_-]+$/);
});

test("a link may stop anywhere on any way, and its tree may have crossing arcs", () => {
  for (const [actions, step] of /** @type {[string, number][]} */ ([
    ["", 0],
    ["SS", 2],
    ["SSL", 1],
    ["SSSRRSSLLR", 10],
  ])) {
    assert.deepEqual(decode(encode({ ...BOOK, actions, step })), { ...BOOK, actions, step });
  }
  const heads = anyHeads(5, randomNumbers(23));
  assert.deepEqual(decode(encode({ ...BOOK, heads })).heads, heads);
});

test("of a tree that is not projective, a link knows the place on its journey", () => {
  for (const stage of ["crossings", "lifts", "derivation", "returns"]) {
    assert.deepEqual(decode(encode({ ...BOOK, stage, place: 1 })), { ...BOOK, stage, place: 1 });
  }
});

test("the longest sentence fits", () => {
  const heads = projectiveHeads(MOST_WORDS, randomNumbers(29));
  const actions = canonical(heads);
  const words = heads.map((_, index) => ({ form: `κείμενο${index}`, tag: "NN" }));
  const state = { words, heads, labels: heads.map(() => "nmod:poss"), actions, step: 1000 };
  assert.deepEqual(decode(encode(state)), state);
});

/**
 * The fragment of any content whatever.
 * @param {unknown} content
 */
function fragment(content) {
  return Buffer.from(JSON.stringify(content)).toString("base64url");
}

const GOOD = [1, ["a", "b"], 0, [2, 0], ["x", "root"], "SSLR", 4];

/**
 * @param {number} place
 * @param {unknown} value
 */
function spoilt(place, value) {
  return fragment(GOOD.map((part, index) => (index === place ? value : part)));
}

test("what is not as it should be is refused in words that can be shown", () => {
  assert.equal(decode(fragment(GOOD)).actions, "SSLR");
  /** @type {[string, RegExp][]} */
  const cases = [
    ["", /damaged: a part of it may have been lost/],
    ["%%%", /damaged/],
    ["A", /damaged/],
    [encode(BOOK).slice(0, -5), /damaged/],
    [Buffer.from([0xff, 0xfe]).toString("base64url"), /damaged/],
    [
      Buffer.from(JSON.stringify(GOOD).replace("b", "\xff"), "latin1").toString("base64url"),
      /damaged/,
    ],
    ["A".repeat(600_000), /longer than any sentence/],
    [fragment(null), /another version/],
    [fragment({}), /another version/],
    [spoilt(0, 2), /another version/],
    [fragment(GOOD.slice(0, 5)), /parts of it are missing/],
    [fragment([...GOOD, 1]), /parts of it are missing/],
    [fragment([...GOOD, "nowhere", 1]), /a place that there is not/],
    [fragment([...GOOD, "lifts", -1]), /a place that there is not/],
    [fragment([...GOOD, "lifts", "1"]), /a place that there is not/],
    [spoilt(1, "ab"), /parts of it are missing/],
    [spoilt(1, []), /has no words/],
    [spoilt(1, new Array(501).fill("a")), /holds 501 words; 500 are the most/],
    [spoilt(1, ["a", ""]), /word 2 is empty/],
    [spoilt(1, ["a", 7]), /word 2 is empty/],
    [spoilt(1, ["a", "b".repeat(1001)]), /word 2 has more than 1000 characters/],
    [spoilt(2, ["X"]), /2 words, but 1 tags/],
    [spoilt(2, ["X", ""]), /the tag of word 2 is empty/],
    [spoilt(3, [2]), /2 words, but 1 heads/],
    [spoilt(3, "20"), /2 words, but no heads/],
    [spoilt(3, [2, 3]), /word 2 has a head that is no other word/],
    [spoilt(3, [1, 0]), /word 1 has a head that is no other word/],
    [spoilt(3, [2.5, 0]), /word 1 has a head/],
    [spoilt(3, ["2", 0]), /word 1 has a head/],
    [spoilt(3, [0, 0]), /2 roots instead of one/],
    [spoilt(3, [2, 1]), /0 roots instead of one/],
    [fragment([1, ["a", "b", "c"], 0, [0, 3, 2], ["x", "x", "x"], "", 0]), /in a circle at word 2/],
    [spoilt(4, ["x"]), /2 words, but 1 labels/],
    [spoilt(4, ["x", ""]), /the label of word 2 is empty/],
    [spoilt(4, ["x", "a (b)"]), /the label of word 2 is not one that arctree prints/],
    [spoilt(5, "SSX"), /at most 4 letters S, L and R/],
    [spoilt(5, "SSLRSS"), /at most 4 letters S, L and R/],
    [spoilt(5, 7), /letters S, L and R/],
    [spoilt(5, "SL"), /at step 2, LEFTARC is not legal: the root cannot become a dependent/],
    [spoilt(6, 5), /none of 0 to 4/],
    [spoilt(6, -1), /none of 0 to 4/],
    [spoilt(6, 1.5), /none of 0 to 4/],
    [spoilt(6, null), /none of 0 to 4/],
  ];
  for (const [link, message] of cases) {
    assert.throws(() => decode(link), message, link.slice(0, 80));
    assert.throws(() => decode(link), /^Error: This link /);
  }
});

test("a state that no link can carry is refused at once", () => {
  assert.throws(() => encode({ ...BOOK, step: 11 }), /none of 0 to 10/);
  assert.throws(() => encode({ ...BOOK, heads: [0, 0, 0, 0, 0] }), /5 roots/);
});
