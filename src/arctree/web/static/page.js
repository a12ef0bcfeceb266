// @ts-check
// The stand-alone page: the sentences it was made with, one at a time, each with its derivation
// to step through and take away. It fetches nothing. The address carries the sentence, the
// derivation and the step, so a link or a bookmark leads back to the very moment.

import "./derivation-element.js";
import "./export.js";
import { keepAddress, momentOf, openMoment } from "./address.js";
import { copyText } from "./files.js";
import { encode } from "./permalink.js";
import { html } from "./svg.js";

/** The page as it was written, before anything on it moves. */
const OWN_TEXT = `<!doctype html>\n${document.documentElement.outerHTML}\n`;
const BEGINNING = 60;
// In a frame of a notebook, the address is nobody's, and there is a title around it already.
const IS_FRAMED = location.protocol === "about:";

const { explorations, actions } = JSON.parse(element("explorations").textContent ?? "{}");
const derivation = /** @type {any} */ (document.querySelector("arctree-derivation"));
const place = keepAddress({ opened, refused: say });
let shown = -1;
let toasting = 0;

start();

function start() {
  element("masthead").hidden = IS_FRAMED;
  document.documentElement.classList.toggle("framed", IS_FRAMED);
  derivation.addEventListener("arctree-step", follow);
  makePicker();
  makeTakeAway();
  element("copy-link").addEventListener("click", copyLink);
  if (!place.open()) show(0, actions === null ? null : { actions });
}

/**
 * Show a sentence, from the start of its canonical derivation unless a moment is named.
 * @param {number} index
 * @param {any} [moment]
 */
function show(index, moment = null) {
  if (index !== shown) {
    shown = index;
    derivation.exploration = explorations[index];
    const choice = /** @type {HTMLSelectElement} */ (element("sentence-choice"));
    choice.selectedIndex = index;
    button("previous-sentence").disabled = index === 0;
    button("next-sentence").disabled = index === explorations.length - 1;
    element("copy-link").hidden = !canLink();
  }
  if (moment !== null) openMoment(derivation, moment);
}

function makePicker() {
  const choice = /** @type {HTMLSelectElement} */ (element("sentence-choice"));
  choice.append(...explorations.map((exploration, index) => html("option", {}, nameOf(exploration, index))));
  choice.addEventListener("change", () => turnTo(choice.selectedIndex));
  for (const [id, step] of /** @type {[string, number][]} */ ([["previous-sentence", -1], ["next-sentence", 1]])) {
    element(id).addEventListener("click", (event) => {
      turnTo(shown + step);
      // After a click the keys belong to the derivation; who came here by key stays here.
      if (event.detail > 0) element(id).blur();
    });
  }
  element("sentences").hidden = explorations.length < 2;
}

/** @param {number} index */
function turnTo(index) {
  show(index);
  follow();
}

/** @param {any} exploration @param {number} index */
function nameOf({ id, text, words }, index) {
  const said = text ?? words.map(({ form, shown: seen }) => seen ?? form).join(" ");
  const beginning = said.length > BEGINNING ? `${said.slice(0, BEGINNING - 1)}…` : said;
  return `${index + 1}. ${beginning}${id ? ` (${id})` : ""}`;
}

function makeTakeAway() {
  const dialog = /** @type {HTMLDialogElement} */ (element("take-away"));
  const panel = /** @type {any} */ (element("export"));
  panel.source = derivation;
  panel.page = ownText;
  element("take-away-open").addEventListener("click", () => {
    panel.link = canLink() ? address : null;
    panel.refresh();
    dialog.showModal();
  });
  element("take-away-close").addEventListener("click", () => dialog.close());
}

/** The page once more; after a what-if, it begins with that. */
function ownText() {
  const { actions: derived } = derivation;
  if (shown !== 0 || derived === explorations[0].transitions) return OWN_TEXT;
  return OWN_TEXT.replace(/"actions":(null|"[SLR]*")\}(?=<\/script>)/, `"actions":"${derived}"}`);
}

// ---- the address ----

/** Whether an address can carry the sentence: there is one, and it is not too long. */
function canLink() {
  try {
    return !IS_FRAMED && encode(momentOf(derivation)) !== "";
  } catch {
    return false;
  }
}

function address() {
  return place.link(momentOf(derivation));
}

function follow() {
  place.follow(() => (canLink() ? momentOf(derivation) : null));
}

/** An address leads to one of the sentences here, under the same arcs, or it is refused. */
function opened(wanted) {
  const index = explorations.findIndex(
    ({ words, heads }) => isSame(heads, wanted.heads) && isSame(forms(words), forms(wanted.words)),
  );
  if (index < 0) throw new Error("The sentence of this link is not on this page.");
  show(index, wanted);
}

function forms(words) {
  return words.map(({ form }) => form);
}

function isSame(one, other) {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

async function copyLink() {
  const copied = await copyText(address());
  say(copied ? "The link is on the clipboard." : "The browser did not let us copy the link.");
}

// ---- pieces ----

/** @param {string} words */
function say(words) {
  const toast = element("toast");
  toast.textContent = words;
  toast.classList.add("shown");
  clearTimeout(toasting);
  toasting = setTimeout(() => toast.classList.remove("shown"), 6000);
}

/** @param {string} id */
function element(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {string} id */
function button(id) {
  return /** @type {HTMLButtonElement} */ (element(id));
}
