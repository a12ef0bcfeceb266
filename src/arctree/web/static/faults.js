// @ts-check
// A fault, told on the page: what is wrong and where, the line itself, and what to do.

import { html } from "./svg.js";

/**
 * @param {HTMLElement} place
 * @param {any} error
 */
export function showFault(place, error) {
  const { fault = error?.message ?? String(error), remedy = "", line = null, quoted = null } = error;
  const where = line === null ? "" : `Line ${line}: `;
  place.replaceChildren(
    html("p", {}, html("strong", {}, where + (where ? fault : capitalised(fault)))),
    ...(quoted === null || quoted.trim() === "" ? [] : [html("pre", { dir: "auto", tabindex: "0" }, quoted)]),
    ...(remedy === "" ? [] : [html("p", {}, `${capitalised(remedy)}.`.replace(/([.!?])\.$/, "$1"))]),
  );
  place.hidden = false;
}

/** @param {HTMLElement} place */
export function clearFault(place) {
  place.hidden = true;
  place.replaceChildren();
}

function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
