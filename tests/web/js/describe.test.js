// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { describe, describeTree, name } from "../../../src/arctree/web/static/describe.js";
import { run, trees } from "../../../src/arctree/web/static/transitions.js";

const WORDS = ["book", "me", "the", "morning", "flight"].map((form) => ({ form }));
const LABELS = ["root", "iobj", "det", "compound", "dobj"];
const ACTIONS = "SSRSSSLLRR";
const SENTENCES = run(5, ACTIONS).map((configuration, step) =>
  describe(configuration, step === 0 ? null : ACTIONS[step - 1], WORDS, LABELS),
);

test("each step of the paper's derivation is told", () => {
  assert.equal(
    SENTENCES[0],
    "Step 0 of 10. Nothing is done yet. The stack holds the root only. " +
      "Buffer: book, me, the, morning, flight.",
  );
  assert.equal(
    SENTENCES[1],
    "Step 1 of 10. SHIFT: book moves from the buffer to the stack. " +
      "Stack, the top last: the root, book. Buffer: me, the, morning, flight.",
  );
  assert.equal(
    SENTENCES[7],
    "Step 7 of 10. LEFTARC: morning becomes a left dependent of flight, with the label compound. " +
      "Stack, the top last: the root, book, the, flight. The buffer is empty.",
  );
  assert.match(
    SENTENCES[3],
    /RIGHTARC: me becomes a right dependent of book, with the label iobj\./,
  );
});

test("the last step says that the tree is finished", () => {
  assert.equal(
    SENTENCES[10],
    "Step 10 of 10. RIGHTARC: book becomes the one dependent of the root, with the label root. " +
      "The tree is finished: every word has its head, and the buffer is empty.",
  );
});

test("an arc without a label is told without one", () => {
  const [, , , configuration] = run(5, "SSL");
  assert.match(
    describe(configuration, "L", WORDS),
    /LEFTARC: book becomes a left dependent of me\. /,
  );
  assert.match(describe(configuration, "L", WORDS, ["", "", "", "", ""]), /dependent of me\. /);
});

test("a long stack and a long buffer are counted", () => {
  const words = Array.from({ length: 40 }, (_, index) => ({ form: `w${index + 1}` }));
  const configurations = run(40, "S".repeat(20));
  const text = describe(configurations[20], "S", words);
  assert.match(text, /^Step 20 of 80\. SHIFT: w20 moves/);
  assert.match(text, /The stack holds 21 items; on top is w20, below it w19\./);
  assert.match(text, /The buffer holds 20 words; the next is w21\.$/);
});

test("words are named as they are shown", () => {
  assert.equal(name(1, [{ form: "a\nb", shown: "a␊b" }]), "a␊b");
  assert.equal(name(0, []), "the root");
});

test("a tree is told by its anchor and its yield", () => {
  const [book, flight] = trees(run(5, ACTIONS)[8]);
  assert.equal(
    describeTree(flight, WORDS),
    "The tree anchored in flight, word 5, spans the words 3 to 5: the morning flight.",
  );
  assert.equal(
    describeTree(book.right[0], WORDS),
    "The tree anchored in me spans this one word, word 2.",
  );
  const long = { anchor: 9, first: 1, last: 30, left: [], right: [] };
  const words = Array.from({ length: 30 }, () => ({ form: "w" }));
  assert.equal(
    describeTree(long, words),
    "The tree anchored in w, word 9, spans the words 1 to 30.",
  );
});
