// @ts-check
// The model's probability of each transition along any sequence, asked of the server when
// somebody stays at a step. Only the last question counts, and what was answered is kept.

import { askService } from "./service.js";

const PAUSE = 120; // milliseconds; a held arrow key asks nothing until it rests
const MOST_KEPT = 500;

/**
 * A function from a sequence of actions to the probabilities along it, for one sentence. A
 * question that another one overtakes is answered with null.
 * @param {string[]} forms
 * @param {string|null} model
 * @returns {(actions: string) => Promise<number[][]|null>}
 */
export function scorer(forms, model) {
  /** @type {Map<string, number[][]>} */
  const kept = new Map();
  let asked = 0;
  let stop = new AbortController();
  return async (actions) => {
    const known = kept.get(actions);
    asked += 1;
    if (known) return known;
    const mine = asked;
    stop.abort();
    stop = new AbortController();
    await new Promise((done) => setTimeout(done, PAUSE));
    if (mine !== asked) return null;
    const question = { words: forms, actions, ...(model ? { model } : {}) };
    const answer = await askService("api/score", question, stop.signal).catch(() => null);
    if (answer === null || mine !== asked) return null;
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(actions, answer.probabilities);
    return answer.probabilities;
  };
}
