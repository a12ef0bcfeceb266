// @ts-check
/** Where an element finds its exploration: at the address `src`, or in a script inside it. */

/**
 * Throw an Error unless this looks like an exploration.
 * @param {any} found
 */
export function checkExploration(found) {
  const isOne = Array.isArray(found?.words) && found.words.length > 0 && Array.isArray(found.heads) &&
    Array.isArray(found.labels) && found.heads.length === found.words.length;
  if (!isOne) throw new Error("this is no exploration of arctree: it has no words, heads and labels");
}

/**
 * The exploration that an element names; null if it names none.
 * @param {HTMLElement} element
 * @returns {Promise<any>}
 */
export async function readSource(element) {
  const address = element.getAttribute("src");
  if (address !== null) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address} answers ${answer.status}`);
    return answer.json();
  }
  // While the page is still read, what stands inside the element may be yet to come.
  if (document.readyState === "loading") {
    await new Promise((ready) => document.addEventListener("DOMContentLoaded", ready, { once: true }));
  }
  const script = element.querySelector('script[type="application/json"]');
  return script ? JSON.parse(script.textContent ?? "") : null;
}
