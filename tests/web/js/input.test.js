// What a person gives is recognised, and cut so that line numbers stay true.

import assert from "node:assert/strict";
import test from "node:test";
import { detectFormat, readInput, splitInput } from "../../../src/arctree/web/static/input.js";

const row = (id, form, head) => `${id}\t${form}\t_\t_\t_\t_\t${head}\tdep\t_\t_\n`;
const sentence = row(1, "he", 2) + row(2, "sleeps", 0) + "\n";

test("CoNLL-U, brackets and text are told apart", () => {
  assert.equal(detectFormat(sentence), "conllu");
  assert.equal(detectFormat(`# text = he sleeps\n${sentence}`), "conllu");
  assert.equal(detectFormat("# sent_id = 1\nbroken"), "conllu");
  assert.equal(detectFormat(`\uFEFF${sentence}`), "conllu");
  assert.equal(detectFormat("1 he _ _ _ _ 2 nsubj _ _"), "conllu");
  assert.equal(detectFormat("(root (nsubj (PRP he)) (VB sleeps))"), "brackets");
  assert.equal(detectFormat("  (root (VB book)\n (iobj (PRP me)))\n"), "brackets");
  assert.equal(detectFormat("(root (VB book)"), "brackets");
  assert.equal(detectFormat("He sleeps well."), "text");
  assert.equal(detectFormat("2 men sleep"), "text");
  assert.equal(detectFormat("2 men sleep in 4 beds every night"), "text");
  assert.equal(detectFormat("(Laughter) He sleeps."), "text");
  assert.equal(detectFormat(""), "text");
});

test("the pieces of CoNLL-U are the whole text, and know the line they begin on", () => {
  const text = sentence.repeat(100);
  const pieces = splitInput(text, "conllu");
  assert.ok(pieces.length > 2);
  assert.equal(pieces.map((piece) => piece.text).join(""), text);
  const lines = text.split("\n");
  for (const piece of pieces) assert.equal(piece.text.split("\n")[0], lines[piece.line - 1]);
  assert.deepEqual(pieces.flatMap((piece) => piece.parts), Array(100).fill(sentence));
});

test("a sentence without the empty line after it is still there", () => {
  assert.equal(splitInput(sentence.trimEnd(), "conllu").length, 1);
  assert.deepEqual(splitInput("\n\n", "conllu"), []);
});

test("bracketed trees over several lines stay whole", () => {
  const tree = "(root (VB book)\n  (iobj (PRP me)))\n";
  const pieces = splitInput(tree.repeat(10), "brackets");
  for (const piece of pieces) assert.equal(piece.text, tree.repeat(piece.parts.length));
  assert.equal(pieces[1].line, 2 * pieces[0].parts.length + 1);
});

test("superfluous empty lines are left out, and counted", () => {
  const texts = { brackets: "\n(root (_ a))\n\n\n(root (_ b))\n(root (_ c))\n", conllu: `\n${sentence}\n\n`.repeat(9) };
  for (const [format, text] of Object.entries(texts)) {
    const lines = text.split("\n");
    for (const piece of splitInput(text, format)) {
      const found = piece.text.trimEnd().split("\n");
      assert.deepEqual(found, lines.slice(piece.line - 1, piece.line - 1 + found.length));
      assert.ok(found[0] !== "");
    }
  }
  assert.deepEqual(splitInput(texts.brackets, "brackets").map(({ line }) => line), [2, 5]);
});

test("a long text is cut after sentences, and nothing of it is lost", () => {
  const text = "Mr. A. Smith went home at last. ".repeat(400);
  const pieces = splitInput(text, "text");
  assert.ok(pieces.length > 2);
  assert.equal(pieces.map((piece) => piece.text).join(""), text);
  for (const piece of pieces) assert.ok(piece.text.startsWith("Mr. A. Smith"));
});

test("a long text is cut as well where stops stand alone, or where there are only lines", () => {
  for (const passage of ["The old mill lay in the rain . ", "no stops here\n"]) {
    const text = passage.repeat(2000);
    const pieces = splitInput(text, "text");
    assert.ok(pieces.length > 2);
    assert.equal(pieces.map((piece) => piece.text).join(""), text);
    for (const piece of pieces) assert.ok(piece.text.startsWith(passage));
  }
});

test("a fault deep in a file names its line in the file, and quotes it", async () => {
  const text = sentence.repeat(30) + row(1, "odd", 9) + "\n";
  const before = globalThis.fetch;
  // The server's answers, as it gives them: one exploration a sentence, or the line of a fault.
  globalThis.fetch = async (_path, { body }) => {
    const { conllu } = JSON.parse(body);
    const at = conllu.split("\n").findIndex((line) => line.includes("odd"));
    if (at < 0) return Response.json({ explorations: conllu.trim().split("\n\n") });
    return Response.json({ error: { fault: "no such head", remedy: "mend it", line: at + 1 } }, { status: 422 });
  };
  try {
    let found = 0;
    const reading = (async () => {
      for await (const { explorations } of readInput(text)) found += explorations.length;
    })();
    await assert.rejects(reading, { fault: "no such head", remedy: "mend it", line: 91, quoted: row(1, "odd", 9).trimEnd() });
    assert.ok(found > 0);
  } finally {
    globalThis.fetch = before;
  }
});
