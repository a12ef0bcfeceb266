// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { isOfAlphabet, modelTitle } from "../../../src/arctree/web/static/opinion.js";

const ENGLISH = "abcdefghijklmnopqrstuvwxyz";

test("a sentence in the letters of the model's language is its business, with a foreign name in it", () => {
  for (const text of ["Book me the morning flight", "She met Zoë in a café near the old harbour .", "3 + 4 = 7 ."]) {
    assert.ok(isOfAlphabet(text.split(" "), ENGLISH), text);
  }
});

test("a sentence in other letters is not, were they Latin ones", () => {
  for (const text of ["나는 학교에 갔다", "قرأ الطالب كتابا", "私は本を読んだ", "Tôi đã đọc quyển sách này hôm qua", "Кто там ?"]) {
    assert.ok(!isOfAlphabet(text.split(" "), ENGLISH), text);
  }
});

test("of a model whose alphabet is not known, nothing is held back", () => {
  assert.ok(isOfAlphabet(["나는"], null));
});

test("a model has a name within a sentence", () => {
  assert.equal(modelTitle({ name: "en", title: "English", alphabet: ENGLISH }), "the English model");
  assert.equal(modelTitle(null), "the model");
});
