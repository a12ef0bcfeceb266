// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { count } from "../../../src/arctree/web/static/oracle.js";
import { bestCompletion } from "../../../src/arctree/web/static/reach.js";
import { ACTIONS, apply, initial, isTerminal, obstacle, run } from "../../../src/arctree/web/static/transitions.js";

test("the best completion keeps as many arcs as any completion does, from every configuration", () => {
  for (let size = 1; size <= 5; size += 1) {
    const configurations = allConfigurations(size);
    for (const heads of projectiveTrees(size)) {
      const best = new Map();
      for (const configuration of configurations) {
        const { kept, actions } = bestCompletion(configuration, heads);
        const [end] = actions.length ? endOf(configuration, actions) : [configuration];
        assert.ok(isTerminal(end));
        assert.equal(keptArcs(end, heads), kept, `${heads}: ${configuration.stack} ${actions}`);
        assert.equal(kept, exhaustive(configuration, heads, best), `${heads}: ${configuration.stack}`);
      }
    }
  }
});

test("from the start, the best completion is a derivation of the tree", () => {
  const heads = [2, 5, 2, 2, 0, 5];
  const { kept, actions } = bestCompletion(initial(6), heads);
  assert.equal(kept, 6);
  assert.deepEqual([...run(6, actions)[12].heads], heads);
});

test("a long sentence whose words are all on the stack is completed", () => {
  const heads = Array.from({ length: 300 }, (_, index) => index);
  const shifted = run(300, "S".repeat(300))[300];
  const { kept, actions } = bestCompletion(shifted, heads);
  assert.equal(kept, 300);
  assert.equal(actions, "R".repeat(300));
});

/** Every configuration that legal actions lead to, each derivation of it once; the last first. */
function allConfigurations(size) {
  const found = [initial(size)];
  for (const configuration of found) {
    for (const action of ACTIONS) {
      if (!isTerminal(configuration) && obstacle(configuration, action) === null) {
        found.push(apply(configuration, action));
      }
    }
  }
  return found.reverse();
}

/** The most arcs of the tree that any end reached from here has: what is to come depends on
 * the stack and the buffer alone. */
function exhaustive(configuration, heads, best) {
  const key = `${configuration.stack}|${configuration.next}`;
  const there = keptArcs(configuration, heads);
  if (!best.has(key)) {
    const gains = ACTIONS.filter((action) => !isTerminal(configuration) && obstacle(configuration, action) === null).map((action) => {
      const after = apply(configuration, action);
      return keptArcs(after, heads) - there + best.get(`${after.stack}|${after.next}`);
    });
    best.set(key, Math.max(0, ...gains));
  }
  return there + best.get(key);
}

function keptArcs({ heads: found }, heads) {
  return found.filter((head, index) => head === heads[index]).length;
}

function endOf(configuration, actions) {
  let here = configuration;
  for (const action of actions) here = apply(here, action);
  return [here];
}

function projectiveTrees(size) {
  const found = [];
  for (let number = 0; number < (size + 1) ** size; number += 1) {
    const heads = Array.from({ length: size }, (_, index) => Math.floor(number / (size + 1) ** index) % (size + 1));
    if (heads.filter((head) => head === 0).length === 1 && isTree(heads) && count(heads) > 0n) found.push(heads);
  }
  return found;
}

function isTree(heads) {
  return heads.every((_, index) => {
    let place = index + 1;
    for (let steps = 0; place > 0 && steps <= heads.length; steps += 1) place = heads[place - 1];
    return place === 0;
  });
}
