// @ts-check
/**
 * What the modules say to questions that Python asks: JSON from standard input, JSON to
 * standard output, all in one process. `tests/web/test_javascript.py` compares the answers.
 */
import { readFileSync } from "node:fs";

import {
  brackets,
  conllu,
  escape,
  toJson,
  visible,
} from "../../../src/arctree/web/static/formats.js";
import { arcLevels } from "../../../src/arctree/web/static/layout.js";
import * as oracle from "../../../src/arctree/web/static/oracle.js";
import * as transitions from "../../../src/arctree/web/static/transitions.js";

const questions = JSON.parse(readFileSync(0, "utf8"));

process.stdout.write(
  JSON.stringify({
    configurations: questions.sequences.map(configuration),
    trees: questions.trees.map(derivationsOf),
    choices: questions.choices.map(choicesAlong),
    levels: questions.spans.map(arcLevels),
    written: questions.written.map(written),
    escaped: everyCharacter(escape),
    visible: everyCharacter(visible),
  }),
);

/** @param {{size: number, actions: string}} question */
function configuration({ size, actions }) {
  const reached = transitions.run(size, actions)[actions.length];
  return {
    stack: reached.stack,
    next: reached.next,
    heads: reached.heads,
    arcs: reached.arcs,
    terminal: transitions.isTerminal(reached),
    obstacles: ["S", "L", "R"].map((action) => transitions.obstacle(reached, action)),
    trees: transitions
      .trees(reached)
      .map((tree) =>
        transitions
          .nodesOf(tree)
          .map(({ anchor, first, last, left, right }) => [
            anchor,
            first,
            last,
            left.length,
            right.length,
          ]),
      ),
    invariants: transitions.invariants(reached).every(({ holds }) => holds),
  };
}

/** @param {{heads: number[], derivations: string[]}} question */
function derivationsOf({ heads, derivations }) {
  const count = oracle.count(heads);
  if (count === 0n) {
    return { count: "0" };
  }
  return {
    count: String(count),
    canonical: oracle.canonical(heads),
    nth: derivations.map((_, place) => oracle.nth(heads, BigInt(place))),
    ranks: derivations.map((actions) => String(oracle.rank(heads, actions))),
    next: derivations.map((actions) => oracle.next(heads, actions)),
    previous: derivations.map((actions) => oracle.previous(heads, actions)),
  };
}

/**
 * For each sequence of actions, the choices after it, and where it leaves the tree.
 * @param {{heads: number[], sequences: string[]}} question
 */
function choicesAlong({ heads, sequences }) {
  return sequences.map((actions) => {
    const configurations = transitions.run(heads.length, actions);
    const left = oracle.leaves(heads, actions);
    return {
      choices: oracle.choices(configurations[actions.length], heads).join(""),
      left,
      completed: left === null ? oracle.complete(heads, actions) : null,
    };
  });
}

/**
 * @param {object} question
 * @param {{form: string, tag: string}[]} question.words
 * @param {number[]} question.heads
 * @param {string[]} question.labels
 * @param {{heads: number[], labels: string[]} | null} question.lifting
 */
function written({ words, heads, labels, lifting }) {
  const hasBrackets = oracle.count(heads) > 0n;
  return {
    conllu: conllu(words, heads, labels),
    brackets: hasBrackets ? brackets(words, heads, labels) : null,
    json: toJson(words, heads, labels, { lifting }),
  };
}

/**
 * The characters that are not left as they are, and what they become.
 * @param {(text: string) => string} change
 */
function everyCharacter(change) {
  /** @type {Record<string, string>} */
  const changed = {};
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const character = String.fromCodePoint(point);
    if (change(character) !== character) {
      changed[point] = change(character);
    }
  }
  return changed;
}
