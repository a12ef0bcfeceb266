// @ts-check
// The one screen of the explorer: a sentence comes in, its derivation is watched, two analyses
// are held against each other, and what is seen can be taken away. The derivation itself is
// <arctree-derivation>; this module leads sentences to it.

import "./derivation-element.js";
import "./export.js";
import { Comparison, capitalTitle } from "./compare.js";
import { detectFormat, readInput } from "./input.js";
import { ServiceFault, askService, wasStopped } from "./service.js";
import { clearFault, showFault } from "./faults.js";
import { copyText } from "./files.js";
import { html } from "./svg.js";
import { keepAddress, momentOf, openMoment } from "./address.js";
import { receiveDrops } from "./drops.js";
import { Opinion, modelTitle } from "./opinion.js";

/**
 * @typedef {{exploration: any, title: string, note?: string, parsed?: string|null, source?: string|null}} Shown
 *   `parsed` is the model that made it, if one did; `source` the CoNLL-U it came as
 */

const part = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

const page = {
  /** @type {Shown[]} */
  sentences: [],
  index: 0,
  /** @type {import("./opinion.js").Model[]} */
  models: [],
  /** @type {string|null} */
  model: null,
  /** @type {{name: string, note: string, exploration: any}[]} */
  examples: [],
  /** @type {any[]} trees pasted to compare with */
  others: [],
  reading: new AbortController(),
  comparing: new AbortController(),
};

const NO_MODEL = "give a tree in one of these formats: there is no model here that could parse a text";

const first = part("first");
const second = /** @type {any} */ (document.createElement("arctree-derivation"));
second.setAttribute("role", "group");
second.setAttribute("aria-label", "Derivation of the other analysis");
part("second-analysis").append(second);
const comparison = new Comparison(part("comparison"), first, second);
const opinion = new Opinion(part("opinion"), part("opinion-name"), first);
const address = keepAddress({ opened: openLink, refused: (message) => refuseLink(message) });

start();

async function start() {
  listen();
  const [models, examples] = await Promise.allSettled([askService("api/models"), askService("examples.json")]);
  offerModels(models.status === "fulfilled" ? models.value : { models: [], default: null });
  offerExamples(examples.status === "fulfilled" ? examples.value : []);
  offerComparisons();
  if (!address.open() && page.sentences.length === 0) showExample(0);
  if (examples.status === "rejected") showFault(part("fault"), examples.reason);
}

// ---- what can be chosen ----

function offerModels({ models, default: usual }) {
  page.models = models;
  page.model = usual ?? models[0]?.name ?? null;
  part("typed").hidden = models.length === 0;
  part("no-model").hidden = models.length > 0;
  part("model-choice").hidden = models.length < 2;
  part("model").replaceChildren(...models.map(({ name, title }) => html("option", { value: name }, title ?? name)));
  if (page.model) part("model").value = page.model;
}

function offerExamples(examples) {
  page.examples = examples;
  const options = examples.map(({ name }, index) => html("option", { value: index }, name));
  part("example").replaceChildren(html("option", { value: "", disabled: true }, "Pick an example"), ...options);
  part("example").value = "";
}

function offerComparisons() {
  const parsed = page.sentences[page.index]?.parsed;
  const models = page.models.filter(({ name }) => name !== parsed);
  const chosen = part("compare").value;
  part("compare").replaceChildren(
    html("option", { value: "" }, "nothing"),
    ...models.map((model) => html("option", { value: `model:${model.name}` }, modelTitle(model))),
    html("option", { value: "pasted" }, "a pasted tree …"),
  );
  part("compare").value = chosen;
  if (part("compare").selectedIndex < 0) part("compare").value = "";
}

/** The model of a name; the chosen one, if there is no name. */
function modelNamed(/** @type {string|null|undefined} */ name) {
  return page.models.find((model) => model.name === (name ?? page.model)) ?? null;
}

/** Offer the sentences from one on; those before it are offered already. */
function offerSentences(from = 0) {
  const options = page.sentences.slice(from).map(({ exploration }, index) =>
    html("option", { value: from + index }, `${from + index + 1}. ${beginning(exploration)}`),
  );
  if (from === 0) part("sentence-choice").replaceChildren();
  part("sentence-choice").append(...options);
  markSentence();
}

function markSentence() {
  part("sentences").hidden = page.sentences.length < 2;
  part("sentence-choice").value = String(page.index);
  part("previous-sentence").disabled = page.index === 0;
  part("next-sentence").disabled = page.index >= page.sentences.length - 1;
}

function beginning({ words }) {
  const start = words.slice(0, 14).map(({ shown, form }) => shown ?? form).join(" ");
  return start.length > 60 || words.length > 14 ? `${start.slice(0, 60)} …` : start;
}

// ---- a sentence comes in ----

/** Read a text, whatever it is; what it holds is shown as it comes. */
async function read(text) {
  const format = detectFormat(text);
  page.reading.abort();
  const reading = new AbortController();
  page.reading = reading;
  clearFault(part("fault"));
  if (text.trim() === "") return;
  if (format === "text" && page.models.length === 0) {
    showFault(part("fault"), { fault: "this is neither CoNLL-U nor brackets", remedy: NO_MODEL });
    return;
  }
  const parsed = format === "text" ? page.model : null;
  const model = parsed === null ? null : modelNamed(parsed);
  const title = model ? modelTitle(model) : "the given tree";
  let found = 0;
  showProgress("Reading …", null);
  try {
    const pieces = readInput(text, { format, model, signal: reading.signal });
    for await (const { explorations, sources, done, of } of pieces) {
      const shown = explorations.map((exploration, at) => ({ exploration, title, parsed, source: sources[at] }));
      takeIn(shown, found === 0);
      found += explorations.length;
      if (of > 1) showProgress(`${found} sentences`, done / of);
    }
    if (found === 0) throw new ServiceFault({ fault: "there is no sentence in it" });
  } catch (error) {
    if (!wasStopped(error)) showFault(part("fault"), error);
    else if (page.reading === reading) say(found > 0 ? `Stopped after ${found} sentences.` : "Stopped.");
  } finally {
    if (page.reading === reading) hideProgress();
  }
}

function takeIn(shown, isFirst) {
  if (shown.length === 0) return;
  if (isFirst) {
    part("example").value = "";
    showSentences(shown);
    // Whoever gave it wants to step through it; after a fault, to mend it.
    if (document.activeElement?.closest("form")) enterDerivation();
  } else {
    page.sentences.push(...shown);
    offerSentences(page.sentences.length - shown.length);
  }
}

function showProgress(words, share) {
  part("progress").hidden = false;
  part("progress-words").textContent = words;
  const bar = part("progress-bar");
  if (share === null) bar.removeAttribute("value");
  else bar.value = share;
}

function hideProgress() {
  const isHeld = part("progress").contains(document.activeElement);
  part("progress").hidden = true;
  if (isHeld) enterDerivation(); // rather than nowhere
}

function showExample(index) {
  const example = page.examples[index];
  if (!example) return;
  page.reading.abort();
  hideProgress();
  clearFault(part("fault"));
  showSentences([{ exploration: example.exploration, title: "the given tree", note: example.note }]);
  part("example").value = String(index);
}

/** @param {Shown[]} sentences */
function showSentences(sentences) {
  page.sentences = sentences;
  page.index = 0;
  offerSentences();
  showSentence(0);
}

function showSentence(index, moment = null) {
  page.index = index;
  const shown = page.sentences[index];
  markSentence();
  present(first, shown);
  if (moment !== null) openMoment(first, moment);
  part("note").textContent = shown.note ?? "";
  document.title = `${beginning(shown.exploration)} · arctree`;
  offerComparisons();
  address.follow(() => momentOf(first));
  refreshComparison();
}

/** @param {any} element @param {Shown} shown */
function present(element, shown) {
  element.score = null; // of the sentence before
  element.exploration = shown.exploration;
  opinion.give(element, shown, modelNamed(shown.parsed));
  part("opinion-choice").hidden = page.models.length === 0;
}

// ---- two analyses ----

async function refreshComparison() {
  page.comparing.abort();
  const comparing = new AbortController();
  page.comparing = comparing;
  const choice = part("compare").value;
  if (choice === "") return hideComparison();
  try {
    const other = await otherAnalysis(choice, comparing.signal);
    if (comparing.signal.aborted) return undefined;
    if (other === null) return hideComparison();
    return showComparison(other);
  } catch (error) {
    if (wasStopped(error)) return undefined;
    hideComparison();
    return showFault(part("fault"), error);
  }
}

/** @returns {Promise<Shown|null>} */
async function otherAnalysis(choice, signal) {
  const { exploration } = page.sentences[page.index];
  const forms = exploration.words.map(({ form }) => form);
  if (choice.startsWith("model:")) {
    const model = choice.slice("model:".length);
    const answer = await askService("api/parse", { words: forms, model }, signal);
    return { exploration: answer.explorations[0], title: modelTitle(modelNamed(model)), parsed: model };
  }
  const same = ({ words }) => words.length === forms.length && words.every(({ form }, index) => form === forms[index]);
  const beside = page.others[page.index];
  const found = beside && same(beside) ? beside : page.others.find(same);
  return found ? { exploration: found, title: "the pasted tree" } : null;
}

function showComparison(other) {
  const shown = page.sentences[page.index];
  part("second-analysis").hidden = false;
  part("analyses").classList.add("two");
  for (const [id, { title }] of Object.entries({ "first-heading": shown, "second-heading": other })) {
    part(id).textContent = capitalTitle({ title });
    part(id).hidden = false;
  }
  present(second, other);
  second.step = Math.min(first.step, other.exploration.transitions.length);
  comparison.show(shown, other);
}

function hideComparison() {
  part("compare").value = "";
  part("second-analysis").hidden = true;
  part("analyses").classList.remove("two");
  part("first-heading").hidden = true;
  comparison.hide();
  second.exploration = null;
}

async function comparePasted(text) {
  const place = part("other-fault");
  clearFault(place);
  const format = detectFormat(text);
  try {
    if (format === "text") throw new ServiceFault({ fault: "this is neither CoNLL-U nor brackets" });
    const found = [];
    for await (const { explorations } of readInput(text, { format })) found.push(...explorations);
    const before = page.others;
    page.others = found;
    if ((await otherAnalysis("pasted", new AbortController().signal)) === null) {
      page.others = before;
      throw new ServiceFault({
        fault: "no sentence in it has the words of the one that is shown",
        remedy: "paste an analysis of the same words",
      });
    }
    part("other-tree").close();
    await refreshComparison();
  } catch (error) {
    showFault(place, error);
  }
}

// ---- the address ----

async function openLink(moment) {
  const { words, heads, labels } = moment;
  const question = { words: words.map(({ form }) => form), tags: words.map(({ tag }) => tag), heads, labels };
  clearFault(part("fault"));
  try {
    const answer = await askService("api/derive", question);
    page.sentences = answer.explorations.map((exploration) => ({ exploration, title: "the given tree" }));
    part("example").value = "";
    offerSentences();
    showSentence(0, moment);
  } catch (error) {
    refuseLink(error instanceof Error ? error.message : String(error));
  }
}

function refuseLink(message) {
  if (page.sentences.length === 0) showExample(0);
  showFault(part("fault"), { fault: message, remedy: "the link was not followed; ask for it again" });
}

// ---- taking away ----

async function copyLink() {
  const link = address.link(momentOf(first));
  if (link === null) {
    say("This sentence is too large for a link.");
    return;
  }
  const copied = await copyText(link);
  say(copied ? "Link copied." : "The browser did not let us copy; the link is in the address bar.");
}

function convert({ exploration, actions }, to, view) {
  const { words, heads, labels, transitions } = exploration;
  const isOther = actions !== transitions && (to === "html" || view === "derivation");
  const tree = { words: words.map(({ form }) => form), tags: words.map(({ tag }) => tag), heads, labels };
  const question = { ...tree, to, view, ...(isOther ? { actions } : {}) };
  return askService("api/convert", question).then(({ content }) => content);
}

function openTakeAway() {
  part("take-away-choice").hidden = !comparison.shown;
  part("take-away-source").replaceChildren(
    html("option", { value: "first" }, part("first-heading").textContent),
    html("option", { value: "second" }, part("second-heading").textContent),
  );
  fillTakeAway();
  part("take-away").showModal();
}

function fillTakeAway() {
  const panel = part("export");
  const source = part("take-away-source").value === "second" ? second : first;
  panel.source = source;
  panel.given = source === first ? (page.sentences[page.index].source ?? null) : null;
  panel.others = comparison.shown ? new Map([["comparison", part("comparison").querySelector("svg")]]) : new Map();
  panel.link = () => address.link(momentOf(source));
  panel.convert = (to, view) => convert(source, to, view);
  panel.page = () => convert(source, "html", "derivation");
  panel.refresh();
}

let saying = 0;

function say(words) {
  part("toast").textContent = words;
  part("toast").classList.add("shown");
  clearTimeout(saying);
  saying = window.setTimeout(() => part("toast").classList.remove("shown"), 2500);
}

// ---- hands on the page ----

function listen() {
  const on = (id, event, work) => part(id).addEventListener(event, work);
  const submit = (id, work) =>
    on(id, "submit", (event) => {
      event.preventDefault();
      work();
    });
  submit("typed", () => read(part("sentence").value));
  submit("pasted", () => readPasted());
  submit("other-form", () => comparePasted(part("other-text").value));
  on("model", "change", () => {
    page.model = part("model").value;
  });
  on("example", "change", () => showExample(Number(part("example").value)));
  on("cancel", "click", () => page.reading.abort());
  on("previous-sentence", "click", () => showSentence(page.index - 1));
  on("next-sentence", "click", () => showSentence(page.index + 1));
  on("sentence-choice", "change", () => showSentence(Number(part("sentence-choice").value)));
  on("compare", "change", () => {
    if (part("compare").value === "pasted") part("other-tree").showModal();
    else refreshComparison();
  });
  on("other-tree", "close", () => refreshComparison());
  on("copy-link", "click", copyLink);
  on("take-away-open", "click", openTakeAway);
  on("take-away-source", "change", fillTakeAway);
  on("take-away-close", "click", () => part("take-away").close());
  on("other-close", "click", () => part("other-tree").close());
  on("skip", "click", (event) => {
    event.preventDefault(); // the address is the link to this step, and stays so
    enterDerivation();
  });
  on("first", "arctree-step", () => address.follow(() => momentOf(first)));
  handOnKeys();
  listenToText(on);
  receiveDrops(
    part("file-open"),
    part("file"),
    (text) => read(text),
    (fault) => showFault(part("fault"), { fault, remedy: "take a part of it" }),
  );
}

/** Put the focus on the derivation, at the control that plays it. */
function enterDerivation() {
  first.shadowRoot?.querySelector('[data-command="play"]')?.focus({ preventScroll: true });
}

/**
 * The derivation's keys work when nothing else has the focus. After a click on the page around
 * it they go on working; whoever came by the keyboard stays where they are.
 */
function handOnKeys() {
  let isClick = false;
  addEventListener("pointerdown", () => (isClick = true), true);
  addEventListener("keydown", () => (isClick = false), true);
  const release = () => isClick && !document.querySelector("dialog[open]") && enterDerivation();
  for (const id of ["example", "sentence-choice", "compare"]) part(id).addEventListener("change", release);
  for (const id of ["previous-sentence", "next-sentence", "comparison"]) part(id).addEventListener("click", release);
  // Behind an open dialog nothing moves.
  addEventListener("keydown", (event) => document.querySelector("dialog[open]") && event.stopPropagation(), true);
}

function listenToText(on) {
  on("sentence", "keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      part("typed").requestSubmit();
    }
  });
  // A tree pasted where a sentence is typed is taken for what it is.
  on("sentence", "paste", (event) => {
    const text = event.clipboardData?.getData("text") ?? "";
    if (detectFormat(text) === "text") return;
    event.preventDefault();
    openPaste(true);
    part("tree").value = text;
    tellFormat();
    readPasted();
  });
  on("paste-open", "click", () => openPaste(part("pasted").hidden));
  on("tree", "input", tellFormat);
}

function openPaste(isOpen) {
  part("pasted").hidden = !isOpen;
  part("paste-open").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) part("tree").focus();
}

function tellFormat() {
  const text = part("tree").value;
  const names = { conllu: "This is CoNLL-U.", brackets: "These are brackets.", text: "This looks like plain text." };
  part("detected").textContent = text.trim() === "" ? "" : names[detectFormat(text)];
}

function readPasted() {
  return read(part("tree").value);
}
