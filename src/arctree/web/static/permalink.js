// @ts-check
/**
 * A moment of a derivation as the fragment of an address, and back: sentence, tree, actions
 * and step. The fragment never leaves the reader's browser.
 *
 * It is base64url of a JSON list in UTF-8. What comes in an address may have been written by
 * anyone: `decode` believes nothing of it, and an Error says what is wrong in words that can
 * be shown.
 *
 * @typedef {object} State
 * @property {{form: string, tag: string}[]} words
 * @property {number[]} heads  of word p at index p - 1; 0 is the root
 * @property {string[]} labels  in printed form
 * @property {string} actions  S, L and R: any legal sequence, finished or not
 * @property {number} step  how many of the actions are done
 * @property {string} [stage]  of a tree that is not projective: where on its journey
 * @property {number} [place]  and at which place of that stage
 */

import { isPrintedLabel } from "./formats.js";
import { apply, initial } from "./transitions.js";

/** The most words that a sentence may have. */
export const MOST_WORDS = 500;

/**
 * @param {State} state
 * @returns {string}  a fragment, without the # before it
 */
export function encode(state) {
  check(state);
  const { words, heads, labels, actions, step, stage, place = 0 } = state;
  const tags = words.map(({ tag }) => tag);
  const hasTags = tags.some((tag) => tag !== NO_TAG);
  const content = [
    VERSION,
    words.map(({ form }) => form),
    hasTags ? tags : 0,
    heads,
    labels,
    actions,
    step,
    ...(stage === undefined ? [] : [stage, place]),
  ];
  return toBase64Url(new TextEncoder().encode(JSON.stringify(content)));
}

/**
 * The inverse of `encode`; a # before the fragment does no harm.
 * @param {string} fragment
 * @returns {State}
 */
export function decode(fragment) {
  const content = contentOf(fragment.replace(/^#/u, ""));
  if (!Array.isArray(content) || content[0] !== VERSION) {
    throw new Error("This link was made by another version of arctree, or is no link of arctree.");
  }
  const [, forms, tags, heads, labels, actions, step, ...journey] = content;
  if (![7, 9].includes(content.length) || !Array.isArray(forms) || (tags !== 0 && !Array.isArray(tags))) {
    throw damaged("parts of it are missing");
  }
  if (tags !== 0 && tags.length !== forms.length) {
    throw damaged(`it has ${forms.length} words, but ${tags.length} tags`);
  }
  const words = forms.map((form, index) => ({ form, tag: tags === 0 ? NO_TAG : tags[index] }));
  const [stage, place] = journey;
  const state = { words, heads, labels, actions, step, ...(journey.length > 0 ? { stage, place } : {}) };
  check(state);
  return state;
}

const VERSION = 1;
const STAGES = ["crossings", "lifts", "derivation", "returns"];
const NO_TAG = "_";
const LONGEST_TEXT = 1000; // of a word, a tag or a label
const LONGEST_FRAGMENT = 500_000;

/**
 * Throw an Error unless everything in a state is as it should be.
 * @param {any} state
 */
function check({ words, heads, labels, actions, step, stage = "derivation", place = 0 }) {
  if (!Array.isArray(words) || words.length === 0) {
    throw damaged("it has no words");
  }
  if (words.length > MOST_WORDS) {
    throw new Error(
      `This link holds ${words.length} words; ${MOST_WORDS} are the most that can be shown.`,
    );
  }
  for (const [index, { form, tag }] of words.entries()) {
    checkText(form, `word ${index + 1}`);
    checkText(tag, `the tag of word ${index + 1}`);
  }
  for (const [list, noun] of [
    [heads, "heads"],
    [labels, "labels"],
  ]) {
    if (!Array.isArray(list) || list.length !== words.length) {
      throw damaged(
        `it has ${words.length} words, but ${Array.isArray(list) ? list.length : "no"} ${noun}`,
      );
    }
  }
  for (const [index, label] of labels.entries()) {
    checkText(label, `the label of word ${index + 1}`);
    if (!isPrintedLabel(label)) {
      throw damaged(`the label of word ${index + 1} is not one that arctree prints`);
    }
  }
  checkHeads(heads);
  checkActions(words.length, actions);
  if (!Number.isInteger(step) || step < 0 || step > actions.length) {
    throw damaged(`it leads to a step that is none of 0 to ${actions.length}`);
  }
  if (!STAGES.includes(stage) || !Number.isInteger(place) || place < 0) {
    throw damaged("it leads to a place that there is not");
  }
}

/**
 * @param {unknown} text
 * @param {string} what
 */
function checkText(text, what) {
  if (typeof text !== "string" || text === "") {
    throw damaged(`${what} is empty`);
  }
  if (text.length > LONGEST_TEXT) {
    throw damaged(`${what} has more than ${LONGEST_TEXT} characters`);
  }
}

/**
 * The heads are a tree: one root, and from every word a way up to it.
 * @param {unknown[]} heads
 */
function checkHeads(heads) {
  for (const [index, head] of heads.entries()) {
    if (
      !Number.isInteger(head) ||
      Number(head) < 0 ||
      Number(head) > heads.length ||
      head === index + 1
    ) {
      throw damaged(`word ${index + 1} has a head that is no other word of the sentence`);
    }
  }
  const roots = heads.filter((head) => head === 0).length;
  if (roots !== 1) {
    throw damaged(`its tree has ${roots} roots instead of one`);
  }
  const visitOf = new Array(heads.length + 1).fill(0); // the walk on which a word was met
  for (let start = 1; start <= heads.length; start += 1) {
    let word = start;
    while (word !== 0 && visitOf[word] === 0) {
      visitOf[word] = start;
      word = Number(heads[word - 1]);
    }
    if (word !== 0 && visitOf[word] === start) {
      throw damaged(`its heads go in a circle at word ${word}`);
    }
  }
}

/**
 * @param {number} size
 * @param {unknown} actions
 */
function checkActions(size, actions) {
  if (typeof actions !== "string" || !/^[SLR]*$/u.test(actions) || actions.length > 2 * size) {
    throw damaged(`its actions are not at most ${2 * size} letters S, L and R`);
  }
  let configuration = initial(size);
  for (let index = 0; index < actions.length; index += 1) {
    try {
      configuration = apply(configuration, actions[index]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw damaged(`at step ${index + 1}, ${reason}`);
    }
  }
}

/**
 * @param {string} fragment
 * @returns {unknown}
 */
function contentOf(fragment) {
  if (fragment.length > LONGEST_FRAGMENT) {
    throw new Error("This link is longer than any sentence that can be shown.");
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(fromBase64Url(fragment)));
  } catch {
    throw damaged("a part of it may have been lost when it was copied");
  }
}

/**
 * @param {Uint8Array} bytes
 * @returns {string}
 */
function toBase64Url(bytes) {
  let binary = "";
  for (const byte of bytes) {
    binary += String.fromCharCode(byte);
  }
  return btoa(binary).replace(/\+/gu, "-").replace(/\//gu, "_").replace(/=+$/u, "");
}

/**
 * @param {string} text
 * @returns {Uint8Array}
 */
function fromBase64Url(text) {
  if (!/^[A-Za-z0-9_-]+$/u.test(text)) {
    throw new Error("not base64url");
  }
  const binary = atob(text.replace(/-/gu, "+").replace(/_/gu, "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/**
 * @param {string} why
 * @returns {Error}
 */
function damaged(why) {
  return new Error(`This link is damaged: ${why}.`);
}
