// @ts-check
// What a person gives the explorer: a text to parse, or trees as CoNLL-U or brackets. Which of
// them it is, is seen from the text. A long one goes to the server in pieces, so that the
// first sentence is shown at once, progress is known, and reading can be stopped.

import { ServiceFault, askService } from "./service.js";

/**
 * What a text is: lines of CoNLL-U begin with a number and a tab, and a bracketed tree opens
 * with a label and another bracket.
 * @param {string} text
 * @returns {"conllu"|"brackets"|"text"}
 */
export function detectFormat(text) {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length === 0) return "text";
  if (lines.some((line) => /^\d+([-.]\d+)?\t/.test(line))) return "conllu";
  if (/^\s*\(\s*[^\s()]*\s*\(/.test(lines.join(" "))) return "brackets";
  // Columns that an editor turned into spaces are CoNLL-U all the same, and so are comments
  // before a broken line: the reader says what is wrong with them.
  const isSpaced = /^\d+\s+\S+(\s+\S+){4,}/.test(lines[0]) && / _( |$)/.test(lines[0]);
  return isSpaced || /^#\s*(sent_id|text|newdoc)\b/.test(lines[0]) ? "conllu" : "text";
}

/**
 * @typedef {{text: string, line: number, parts: string[]}} Piece  `line` is where it begins;
 *   its parts are trees, or passages of text
 */

/**
 * The text in pieces that the server takes one at a time; the first is small.
 * @param {string} text
 * @param {"conllu"|"brackets"|"text"} format
 * @returns {Piece[]}
 */
export function splitInput(text, format) {
  // What is copied by hand often lacks the empty line that closes a sentence.
  const closed = format === "conllu" ? text.replace(/[\r\n]*$/, "\n\n") : text;
  const units = format === "text" ? passagesOf(text) : treesOf(closed, format);
  const pieces = [];
  let at = 0;
  while (at < units.length) {
    const most = pieces.length === 0 || format === "text" ? FIRST_PIECE : LATER_PIECE;
    let size = units[at].text.length;
    let end = at + 1;
    while (
      end < units.length &&
      end - at < most.sentences &&
      size + units[end].text.length < most.size &&
      isNextTo(units[end - 1], units[end])
    ) {
      size += units[end].text.length;
      end += 1;
    }
    const parts = units.slice(at, end).map((unit) => unit.text);
    pieces.push({ text: parts.join(""), line: units[at].line, parts });
    at = end;
  }
  return pieces;
}

/** Whether no empty lines were left out between them, so that lines can be counted on. */
function isNextTo(before, after) {
  return before.line + before.text.split("\n").length - 1 === after.line;
}

const FIRST_PIECE = { sentences: 4, size: 4_000 };
const LATER_PIECE = { sentences: 40, size: 60_000 };

/**
 * Read a text piece by piece. Beside each exploration stands its CoNLL-U as it was given, with
 * all the columns and comments that an exploration does not hold.
 * @param {string} given
 * @param {{format?: "conllu"|"brackets"|"text", model?: {name: string, text?: boolean}|null, signal?: AbortSignal}} options
 * @returns {AsyncGenerator<{explorations: object[], sources: (string|null)[], done: number, of: number}>}
 */
export async function* readInput(given, { format = detectFormat(given), model = null, signal } = {}) {
  const text = given.replace(/^\uFEFF/, "");
  const isSplit = format === "text" && model?.text === false; // by the person, not by the model
  const pieces = isSplit ? linesOf(text) : splitInput(text, format);
  const path = format === "text" ? "api/parse" : "api/derive";
  let sentencesBefore = 0;
  for (const [index, piece] of pieces.entries()) {
    const content = isSplit ? { words: piece.text.trim().split(/\s+/u) } : { [format]: piece.text };
    const question = format === "text" && model ? { ...content, model: model.name } : content;
    const answer = await askService(path, question, signal).catch((error) => {
      throw placedFault(error, piece, text, sentencesBefore);
    });
    sentencesBefore += answer.explorations.length;
    const isGiven = format === "conllu" && piece.parts.length === answer.explorations.length;
    const sources = answer.explorations.map((_, place) => (isGiven ? piece.parts[place] : null));
    yield { explorations: answer.explorations, sources, done: index + 1, of: pieces.length };
  }
}

/** The fault with its line counted in the whole text, and the line itself. */
function placedFault(error, piece, text, sentencesBefore) {
  if (!(error instanceof ServiceFault)) return error;
  const line = error.line === null ? null : error.line + piece.line - 1;
  const unnamed = /^\d+$/.test(String(error.sentence ?? ""));
  const sentence = unnamed ? String(Number(error.sentence) + sentencesBefore) : error.sentence;
  const placed = new ServiceFault({ fault: error.fault, remedy: error.remedy, line, sentence });
  const quoted = line === null ? undefined : text.split(/\r?\n/)[line - 1];
  return Object.assign(placed, { quoted: quoted ?? null });
}

/** Sentences of CoNLL-U end at an empty line; a bracketed tree ends where its brackets do. */
function treesOf(text, format) {
  const units = [];
  let current = { text: "", line: 1 };
  let depth = 0;
  for (const [index, line] of text.split(/(?<=\n)/).entries()) {
    if (current.text === "") current.line = index + 1;
    current.text += line;
    depth += bracketBalance(line);
    const ends = format === "conllu" ? line.trim() === "" : depth <= 0;
    if (!ends) continue;
    if (current.text.trim() !== "") units.push(current);
    current = { text: "", line: index + 2 };
    depth = 0;
  }
  if (current.text.trim() !== "") units.push(current);
  return units;
}

function bracketBalance(line) {
  let balance = 0;
  for (const character of line) {
    if (character === "(") balance += 1;
    else if (character === ")") balance -= 1;
  }
  return balance;
}

/** A sentence a line, for a model that takes words and no text. */
function linesOf(text) {
  const lines = text.split("\n").map((line, index) => ({ text: line, line: index + 1, parts: [line] }));
  return lines.filter((line) => line.text.trim() !== "");
}

/** A short text is one passage; a long one is cut at empty lines and after whole sentences. */
function passagesOf(text) {
  if (text.length <= PASSAGE_SIZE) return text.trim() === "" ? [] : [{ text, line: 1 }];
  const units = [];
  let line = 1;
  for (const paragraph of text.split(/(?<=\n\s*\n)/)) {
    for (const part of paragraphParts(paragraph)) {
      if (part.trim() !== "") units.push({ text: part, line });
      line += part.split("\n").length - 1;
    }
  }
  return units;
}

const PASSAGE_SIZE = 1_200;

function paragraphParts(paragraph) {
  const parts = [];
  let begin = 0;
  // After a line, a full stop, a question or an exclamation mark; not after an abbreviation or an
  // initial. Treebanks print a space before the stop.
  for (const end of paragraph.matchAll(/(?:\p{L}{4,}|\d|\s)[.!?]["'”’)]*\s+(?=\p{Lu})|[。！？؟।]\s*|\n/gu)) {
    const stop = end.index + end[0].length;
    // A line may end within a sentence; there only if no sentence will end.
    if (stop - begin < (end[0] === "\n" ? 5 : 1) * PASSAGE_SIZE) continue;
    parts.push(paragraph.slice(begin, stop));
    begin = stop;
  }
  parts.push(paragraph.slice(begin));
  return parts;
}
