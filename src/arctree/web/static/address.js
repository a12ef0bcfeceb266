// @ts-check
// The address of the page carries the sentence, its derivation and the step, after the #. It
// follows each step, and an address that somebody opens or types leads back to that step.

import { decode, encode } from "./permalink.js";

const REST = 300; // milliseconds; browsers refuse an address that changes all the time

/**
 * Keep the address in step with what is shown.
 * @param {{opened: (state: any) => void, refused: (message: string) => void}} handlers
 */
export function keepAddress({ opened, refused }) {
  let waiting = 0;
  let written = "";
  /** @type {null | (() => any)} */
  let latest = null;

  const write = () => {
    waiting = 0;
    const state = latest?.() ?? null;
    if (state === null) return;
    written = fragmentOf(state) ?? "";
    history.replaceState(null, "", written === "" ? location.pathname : `#${written}`);
  };
  const open = () => {
    const fragment = location.hash.replace(/^#/, "");
    if (fragment === "" || fragment === written || fragment === "explorer") return false;
    try {
      opened(decode(fragment));
      return true;
    } catch (error) {
      refused(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  addEventListener("hashchange", open);
  return {
    /** Open what the address says; false when it says nothing that can be opened. */
    open,
    /** What is shown has changed; `state` tells it when the address is next written. */
    follow(state) {
      latest = state;
      if (waiting === 0) waiting = window.setTimeout(write, REST);
    },
    /** The address of a state; null for one that no address can carry. */
    link(state) {
      const fragment = fragmentOf(state);
      return fragment === null ? null : `${location.href.replace(/#.*$/s, "")}#${fragment}`;
    },
  };
}

/**
 * What a link to the moment that an <arctree-derivation> shows carries.
 * @param {any} element
 */
export function momentOf(element) {
  const { exploration, actions, step, stage, place } = element;
  const { words, heads, labels, lifting } = exploration;
  return { words, heads, labels, actions, step, ...(lifting ? { stage, place } : {}) };
}

/**
 * Show the moment of a link; the element has its sentence already.
 * @param {any} element
 * @param {{actions?: string, step?: number, stage?: string, place?: number}} moment
 */
export function openMoment(element, { actions = "", step = 0, stage = "derivation", place = 0 }) {
  if (actions !== "") element.actions = actions;
  element.step = step;
  element.stage = stage;
  if (stage === "derivation") element.step = step;
  else element.place = place;
}

/** @returns {string|null} null where a word, say, is longer than any link should be */
function fragmentOf(state) {
  try {
    return encode(state).replace(/^#/, "");
  } catch {
    return null;
  }
}
