// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { visibleText } from "../../../src/arctree/web/static/svg.js";

test("what could spoil a picture has a visible sign", () => {
  assert.equal(visibleText("NN"), "NN");
  assert.equal(visibleText("a\u202eb\nc\xadd\u2028e\x7ff\ud800g\ufdd0"), "a\ufffdb␊c‐d␤e␡f\ufffdg\ufffd");
  assert.equal(visibleText("اسم 😀"), "اسم 😀");
});
