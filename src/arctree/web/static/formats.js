// @ts-check
/**
 * A tree in the formats of the core: CoNLL-U, bracketed text and JSON, each equal, character
 * by character, to what `arctree convert` writes; and text that is fit to be shown.
 *
 * Labels are given in their printed form (see `arctree.labels`), so that the marks of lifting
 * stand on them as they do everywhere. Words and tags are plain text. In CoNLL-U a tree that is
 * not lifted has its labels as its treebank has them; one that is has them printed.
 *
 * @typedef {{form: string, tag?: string}} Word
 * @typedef {{id?: string | null, text?: string | null}} About  what comments say of a sentence
 */

import { count } from "./oracle.js";

/**
 * Ten columns a word: its form, its tag as XPOS, its head and its label.
 * @param {readonly Word[]} words
 * @param {readonly number[]} heads
 * @param {readonly string[]} labels
 * @param {About} [about]
 * @returns {string}  with the blank line that closes a sentence
 */
export function conllu(words, heads, labels, about = {}) {
  const relations = columnLabels(labels);
  const rows = words.map((word, index) => {
    const [form, tag, label] = [word.form, tagOf(word), relations[index]].map(columnText);
    return `${index + 1}\t${form}\t_\t_\t${tag}\t_\t${heads[index]}\t${label}\t_\t_\n`;
  });
  const comments = commentsOf(about).map((comment) => `${comment}\n`);
  return `${[...comments, ...rows].join("")}\n`;
}

/**
 * The ordered tree on one line: (root (VB book) (iobj (PRP me))).
 * @param {readonly Word[]} words
 * @param {readonly number[]} heads
 * @param {readonly string[]} labels
 * @returns {string}  without a line break at the end
 */
export function brackets(words, heads, labels) {
  const rows = dependents(heads);
  let text = "";
  /** @type {(number | string)[]} */
  const agenda = [rows[0][0]];
  for (let item = agenda.pop(); item !== undefined; item = agenda.pop()) {
    if (typeof item === "string") {
      text += item;
      continue;
    }
    const head = item;
    const row = rows[head];
    const word = words[head - 1];
    text += ` (${labels[head - 1]}`;
    agenda.push(")");
    agenda.push(...row.filter((dependent) => dependent > head).reverse());
    agenda.push(` (${escape(tagOf(word))} ${escape(word.form)})`);
    agenda.push(...row.filter((dependent) => dependent < head).reverse());
  }
  return text.slice(1);
}

/**
 * The JSON form of the sentence with its ordered tree, or that of the lifted tree.
 * @param {readonly Word[]} words
 * @param {readonly number[]} heads
 * @param {readonly string[]} labels
 * @param {About & {lifting?: {heads: readonly number[], labels: readonly string[]} | null}} [about]
 * @returns {object}  to be written with JSON.stringify; without a tree if there is none
 */
export function toJson(words, heads, labels, about = {}) {
  const relations = columnLabels(labels);
  const sentence = {
    arctree: 1,
    kind: "sentence",
    id: about.id ?? null,
    text: about.text ?? null,
    comments: commentsOf(about),
    words: words.map((word, index) => ({
      id: index + 1,
      form: word.form,
      ...(tagOf(word) === NO_TAG ? {} : { xpos: word.tag }),
      head: heads[index],
      ...(relations[index] === "_" ? {} : { label: relations[index] }),
    })),
    other_lines: [],
  };
  const ordered = about.lifting ?? { heads, labels };
  if (count(ordered.heads) === 0n) {
    return sentence;
  }
  return { ...sentence, tree: treeJson(words, ordered.heads, ordered.labels) };
}

/**
 * The text with everything that brackets or marks could misread escaped.
 * @param {string} text
 * @returns {string}
 */
export function escape(text) {
  return text.replace(ESCAPED, (character) => {
    if (character === "(") {
      return "-LRB-";
    }
    if (character === ")") {
      return "-RRB-";
    }
    if (character === " ") {
      return "\\_";
    }
    if ("↑↓-".includes(character)) {
      return `\\${character}`;
    }
    return `\\u{${/** @type {number} */ (character.codePointAt(0)).toString(16)}}`;
  });
}

/**
 * The text that `escape` printed.
 * @param {string} printed
 * @returns {string}
 */
export function unescape(printed) {
  return printed.replace(UNESCAPED, (whole, code, character) => {
    if (code !== undefined) {
      const point = Number.parseInt(code, 16);
      return point > 0x10ffff ? whole : String.fromCodePoint(point);
    }
    if (character !== undefined) {
      return character === "_" ? " " : character;
    }
    return whole === "-LRB-" ? "(" : ")";
  });
}

/**
 * Whether a text is a label as it is printed, everything escaped that must be.
 * @param {string} text
 * @returns {boolean}
 */
export function isPrintedLabel(text) {
  const [, base, , hint = ""] = PRINTED.exec(text) ?? [];
  return base !== undefined && [base, hint].every((part) => escape(unescape(part)) === part);
}

/**
 * The text with a visible sign for every character that could spoil a picture: controls,
 * line separators, what turns the direction of text, and what is no character.
 * @param {string} text
 * @returns {string}
 */
export function visible(text) {
  return text.replace(SPOILERS, (character) => {
    const code = /** @type {number} */ (character.codePointAt(0));
    if (code < 0x20) {
      return String.fromCodePoint(0x2400 + code);
    }
    return SIGNS.get(character) ?? "\ufffd";
  });
}

const NO_TAG = "_";

// The white space of Python's str.isspace(), which is not quite that of \s here.
const SPACE =
  "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const ESCAPED = new RegExp(`[()\\\\↑↓${SPACE}]|-(?=[LR]RB)`, "gu");
const UNESCAPED = /-[LR]RB-|\\u\{([0-9a-f]{1,6})\}|\\(.)/gsu;

const SPOILERS =
  /[\p{Cc}\xad\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Surrogate}\p{Noncharacter_Code_Point}]/gu;
const SIGNS = new Map([
  ["\x7f", "␡"],
  ["\xad", "‐"],
  ["\u2028", "␤"],
  ["\u2029", "␤"],
]);

// A printed label: base, ↑, hint, ↑ rank, ↓ (see arctree.labels).
const ATOM = "(?:[^\\\\↑↓]|\\\\.)";
const PRINTED = new RegExp(
  `^(${ATOM}+)(?:(↑)(?:(${ATOM}+)(?:↑([2-9]|[1-9][0-9]{1,8}))?)?)?(↓)?$`,
  "su",
);

/**
 * @param {About} about
 * @returns {string[]}  lines of CoNLL-U
 */
function commentsOf({ id, text }) {
  const said = Object.entries({ sent_id: id, text }).filter(([, value]) => value);
  return said.map(([key, value]) => `# ${key} = ${String(value).replace(/[\r\n]+/gu, " ")}`);
}

/**
 * The labels as they stand in a column of CoNLL-U.
 * @param {readonly string[]} labels
 * @returns {string[]}
 */
function columnLabels(labels) {
  const parsed = labels.map(labelJson);
  const isLifted = parsed.some((label) => typeof label !== "string");
  return isLifted ? [...labels] : parsed.map(String);
}

/**
 * A label's JSON form: a string, or its parts where lifting has marked it.
 * @param {string} printed
 * @returns {string | object}
 */
function labelJson(printed) {
  const match = PRINTED.exec(printed);
  if (match === null) {
    throw new Error(`the label ${JSON.stringify(printed)} is not the printed form of a label`);
  }
  const [, base, lifted, hint, rank, onPath] = match;
  if (lifted === undefined && onPath === undefined) {
    return unescape(base);
  }
  return {
    base: unescape(base),
    lifted: lifted !== undefined,
    hint: hint === undefined ? null : unescape(hint),
    rank: rank === undefined ? 1 : Number(rank),
    on_path: onPath !== undefined,
  };
}

/**
 * An ordered tree: its words, and its nodes in preorder, each with its parent's place.
 * @param {readonly Word[]} words
 * @param {readonly number[]} heads
 * @param {readonly string[]} labels
 */
function treeJson(words, heads, labels) {
  const rows = dependents(heads);
  const nodes = [];
  const agenda = [{ anchor: rows[0][0], parent: /** @type {number | null} */ (null) }];
  for (let item = agenda.pop(); item !== undefined; item = agenda.pop()) {
    const { anchor, parent } = item;
    for (const dependent of rows[anchor].reverse()) {
      agenda.push({ anchor: dependent, parent: nodes.length });
    }
    nodes.push({
      label: labelJson(labels[anchor - 1]),
      anchor,
      first: anchor,
      last: anchor,
      parent,
    });
  }
  for (let place = nodes.length - 1; place > 0; place -= 1) {
    const { parent, first, last } = nodes[place];
    if (parent !== null) {
      nodes[parent].first = Math.min(nodes[parent].first, first);
      nodes[parent].last = Math.max(nodes[parent].last, last);
    }
  }
  return {
    arctree: 1,
    kind: "tree",
    words: words.map((word, index) => ({ id: index + 1, form: word.form, tag: tagOf(word) })),
    nodes,
  };
}

/**
 * For each position 0..n its dependents in surface order (the paper's dlookup).
 * @param {readonly number[]} heads
 * @returns {number[][]}
 */
function dependents(heads) {
  if (count(heads) === 0n) {
    throw new Error("the tree is not projective: it has no ordered tree; lift it first");
  }
  /** @type {number[][]} */
  const rows = Array.from({ length: heads.length + 1 }, () => []);
  heads.forEach((head, index) => rows[head].push(index + 1));
  return rows;
}

/** @param {Word} word */
function tagOf({ tag }) {
  return tag || NO_TAG;
}

/**
 * The text, if a column of CoNLL-U can hold it.
 * @param {string} text
 * @returns {string}
 */
function columnText(text) {
  if (!text || /[\t\n\r]/u.test(text) || /\p{Surrogate}/u.test(text)) {
    throw new Error(
      `${JSON.stringify(text)} cannot stand in a column of CoNLL-U: a column holds at least ` +
        "one character, and no tab, line break or lone surrogate",
    );
  }
  return text;
}
