// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  brackets,
  conllu,
  escape,
  isPrintedLabel,
  toJson,
  unescape,
  visible,
} from "../../../src/arctree/web/static/formats.js";
import { projectiveHeads, randomNumbers } from "./sentences.js";

const WORDS = [
  { form: "book", tag: "VB" },
  { form: "me", tag: "PRP" },
  { form: "the", tag: "DT" },
  { form: "morning", tag: "NN" },
  { form: "flight", tag: "NN" },
];
const HEADS = [0, 1, 5, 5, 1];
const LABELS = ["root", "iobj", "det", "compound", "dobj"];

test("the paper's tree in brackets", () => {
  assert.equal(
    brackets(WORDS, HEADS, LABELS),
    "(root (VB book) (iobj (PRP me)) (dobj (det (DT the)) (compound (NN morning)) (NN flight)))",
  );
});

test("CoNLL-U has ten columns a word, and a blank line at the end", () => {
  const lines = conllu(WORDS, HEADS, LABELS).split("\n");
  assert.equal(lines[2], "3\tthe\t_\t_\tDT\t_\t5\tdet\t_\t_");
  assert.deepEqual(lines.slice(5), ["", ""]);
  assert.ok(lines.slice(0, 5).every((line) => line.split("\t").length === 10));
});

test("what is known of a sentence stands before it, a line each", () => {
  const text = conllu(WORDS, HEADS, LABELS, { id: "one", text: "Book\nme" });
  assert.ok(text.startsWith("# sent_id = one\n# text = Book me\n1\tbook\t"));
  assert.ok(conllu(WORDS, HEADS, LABELS, { id: null, text: null }).startsWith("1\tbook"));
});

test("CoNLL-U refuses what a column cannot hold", () => {
  for (const form of ["", "a\tb", "a\nb", "a\rb", "\ud800"]) {
    assert.throws(() => conllu([{ form, tag: "X" }], [0], ["root"]), /cannot stand in a column/);
  }
  assert.match(conllu([{ form: "New York <b>" }], [0], ["root"]), /^1\tNew York <b>\t_\t_\t_\t/);
});

test("labels stand in CoNLL-U as the treebank has them, unless the tree is lifted", () => {
  const words = [{ form: "a" }, { form: "b" }];
  assert.match(conllu(words, [2, 0], ["obl\\↑x", "root"]), /\tobl↑x\t/);
  assert.match(conllu(words, [2, 0], ["obl\\↑x", "root↓"]), /\tobl\\↑x\t/);
  assert.match(conllu(words, [2, 0], ["obl↑nmod↑2", "root"]), /\tobl↑nmod↑2\t/);
});

test("a crossing tree has CoNLL-U and JSON, but no brackets", () => {
  const words = ["a", "b", "c", "d"].map((form) => ({ form, tag: "_" }));
  const heads = [3, 4, 0, 3];
  const labels = ["x", "y", "root", "z"];
  assert.throws(() => brackets(words, heads, labels), /not projective/);
  assert.match(conllu(words, heads, labels), /^1\ta\t/);
  assert.equal("tree" in toJson(words, heads, labels), false);
  const lifting = { heads: [3, 3, 0, 3], labels: ["x", "y↑z", "root", "z"] };
  const form = /** @type {any} */ (toJson(words, heads, labels, { lifting }));
  assert.deepEqual(form.words[1], { id: 2, form: "b", head: 4, label: "y" });
  assert.equal(form.tree.nodes[2].label.hint, "z");
});

test("JSON holds the sentence and its ordered tree", () => {
  const form = /** @type {any} */ (toJson(WORDS, HEADS, LABELS, { id: "one", text: "Book me" }));
  assert.deepEqual(
    [form.arctree, form.kind, form.id, form.text],
    [1, "sentence", "one", "Book me"],
  );
  assert.deepEqual(form.comments, ["# sent_id = one", "# text = Book me"]);
  assert.deepEqual(form.words[2], { id: 3, form: "the", xpos: "DT", head: 5, label: "det" });
  assert.deepEqual(
    form.tree.nodes.map((/** @type {any} */ node) => [
      node.anchor,
      node.parent,
      node.first,
      node.last,
    ]),
    [
      [1, null, 1, 5],
      [2, 0, 2, 2],
      [5, 0, 3, 5],
      [3, 2, 3, 3],
      [4, 2, 4, 4],
    ],
  );
});

test("lifted labels come apart in JSON", () => {
  const form = /** @type {any} */ (
    toJson([{ form: "a" }, { form: "b" }], [2, 0], ["obl↑nmod↑2↓", "a\\_b"])
  );
  assert.deepEqual(
    form.tree.nodes.map((/** @type {any} */ node) => node.label),
    ["a b", { base: "obl", lifted: true, hint: "nmod", rank: 2, on_path: true }],
  );
  assert.throws(() => toJson([{ form: "a" }], [0], ["↑"]), /not the printed form of a label/);
});

test("the escape is undone", () => {
  const random = randomNumbers(17);
  const alphabet = [
    "(",
    ")",
    "-LRB-",
    "-RRB-",
    "-",
    "\\",
    "\\u{5c}",
    " ",
    "\u3000",
    "↑",
    "↓",
    "_",
    "u",
    "{",
    "ش",
    "😀",
  ];
  for (let round = 0; round < 500; round += 1) {
    const text = Array.from(
      { length: 6 },
      () => alphabet[Math.floor(random() * alphabet.length)],
    ).join("");
    const printed = escape(text);
    assert.equal(unescape(printed), text);
    assert.doesNotMatch(printed, /[()\s]/u);
    assert.ok(isPrintedLabel(printed));
  }
});

test("only what is printed is taken for a printed label", () => {
  for (const good of [
    "nsubj:pass",
    "obl↑",
    "obl↑nmod",
    "obl↑nmod↑12",
    "obl↓",
    "a\\_b",
    "\\u{5c}",
    "-LRB-",
  ]) {
    assert.ok(isPrintedLabel(good), good);
  }
  for (const bad of [
    "",
    "↑",
    "a b",
    "(a",
    "a↑b↑1",
    "a↑↑",
    "a\\",
    "a\\x",
    "\\u{110000}",
    "\\u{d800}",
    "a\nb",
  ]) {
    assert.ok(!isPrintedLabel(bad), bad);
  }
});

test("what could spoil a picture becomes visible", () => {
  assert.equal(
    visible("a\nb\x7f\xad\u2028\u202e\ud800\uffff\x85"),
    "a␊b␡‐␤\ufffd\ufffd\ufffd\ufffd",
  );
  assert.equal(visible("<script>😀 שלום"), "<script>😀 שלום");
});

test("500 words in a chain are written without recursion", () => {
  const size = 500;
  const words = Array.from({ length: size }, () => ({ form: "w", tag: "_" }));
  const heads = words.map((_, index) => index);
  const labels = words.map(() => "x");
  assert.equal(brackets(words, heads, labels).split("(x").length, size + 1);
  const any = projectiveHeads(size, randomNumbers(19));
  assert.equal(/** @type {any} */ (toJson(words, any, labels)).tree.nodes[0].last, size);
});
