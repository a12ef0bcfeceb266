// @ts-check
/**
 * Each moment of a derivation in plain English, for those who listen to the page.
 *
 * @typedef {import("./transitions.js").Configuration} Configuration
 * @typedef {import("./transitions.js").Tree} Tree
 * @typedef {{form: string, tag?: string, shown?: string}} Word
 */

import { NAMES, isTerminal, stepsTaken } from "./transitions.js";

/**
 * What has just been done, and where that leads.
 * @param {Configuration} configuration  the one that the action has led to
 * @param {string | null} action  what was done; null in the initial configuration
 * @param {readonly Word[]} words
 * @param {readonly (string | null)[]} [labels]  of each word's arc; empty where none is known
 * @returns {string}
 */
export function describe(configuration, action, words, labels = []) {
  const place = `Step ${stepsTaken(configuration)} of ${2 * configuration.size}.`;
  const done =
    action === null ? "Nothing is done yet." : whatWasDone(configuration, action, words, labels);
  if (isTerminal(configuration)) {
    return `${place} ${done} The tree is finished: every word has its head, and the buffer is empty.`;
  }
  return `${place} ${done} ${stackText(configuration, words)} ${bufferText(configuration, words)}`;
}

/**
 * The same for the moment that is shown of a derivation, a what-if as well.
 * @param {import("./state.js").DerivationState} state
 * @returns {string}
 */
export function describeMoment({ configuration, step, actions, heads, labels, words, hasLeft }) {
  const found = labels.map((label, index) => (configuration.heads[index] === heads[index] ? label : null));
  const text = describe(configuration, step === 0 ? null : actions[step - 1], words, found);
  return hasLeft ? `${text} The tree is out of reach.` : text;
}

/**
 * A partial tree: its anchor, and its yield.
 * @param {Tree} tree
 * @param {readonly Word[]} words
 * @returns {string}
 */
export function describeTree({ anchor, first, last }, words) {
  const over = `The tree anchored in ${name(anchor, words)}`;
  if (first === last) {
    return `${over} spans this one word, word ${anchor}.`;
  }
  const text = range(first, last);
  const yieldText =
    text.length <= MOST_WORDS ? `: ${text.map((position) => name(position, words)).join(" ")}` : "";
  return `${over}, word ${anchor}, spans the words ${first} to ${last}${yieldText}.`;
}

/**
 * The form of a word, fit to be shown; "the root" for position 0.
 * @param {number} position
 * @param {readonly Word[]} words
 * @returns {string}
 */
export function name(position, words) {
  if (position === 0) {
    return "the root";
  }
  const { form, shown } = words[position - 1];
  return shown ?? form;
}

// More words than this are counted, not read out.
const MOST_WORDS = 7;

/**
 * @param {Configuration} configuration
 * @param {string} action
 * @param {readonly Word[]} words
 * @param {readonly (string | null)[]} labels
 */
function whatWasDone({ stack, arcs }, action, words, labels) {
  if (action === "S") {
    return `${NAMES.S}: ${name(stack[stack.length - 1], words)} moves from the buffer to the stack.`;
  }
  const [head, dependent] = arcs[arcs.length - 1];
  const label = labels[dependent - 1];
  const relation = label ? `, with the label ${label}` : "";
  const kind =
    head === 0 ? "the one dependent" : action === "L" ? "a left dependent" : "a right dependent";
  return `${NAMES[action === "L" ? "L" : "R"]}: ${name(dependent, words)} becomes ${kind} of ${name(head, words)}${relation}.`;
}

/**
 * @param {Configuration} configuration
 * @param {readonly Word[]} words
 */
function stackText({ stack }, words) {
  if (stack.length === 1) {
    return "The stack holds the root only.";
  }
  if (stack.length <= MOST_WORDS) {
    return `Stack, the top last: ${stack.map((position) => name(position, words)).join(", ")}.`;
  }
  const [second, top] = stack.slice(-2).map((position) => name(position, words));
  return `The stack holds ${stack.length} items; on top is ${top}, below it ${second}.`;
}

/**
 * @param {Configuration} configuration
 * @param {readonly Word[]} words
 */
function bufferText({ next, size }, words) {
  const left = size - next + 1;
  if (left === 0) {
    return "The buffer is empty.";
  }
  if (left <= MOST_WORDS) {
    return `Buffer: ${range(next, size)
      .map((position) => name(position, words))
      .join(", ")}.`;
  }
  return `The buffer holds ${left} words; the next is ${name(next, words)}.`;
}

/**
 * @param {number} first
 * @param {number} last
 * @returns {number[]}
 */
function range(first, last) {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
