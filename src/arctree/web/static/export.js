// @ts-check
// <arctree-export>: what is shown by an <arctree-derivation>, to take away: pictures of its
// views as they stand, the tree in each format, a page that stands alone, and a link to this
// very step. It needs no server; where one is, `convert` asks it for what only it can make.
//
//     panel.source = derivation                          the element it speaks of
//     panel.link = () => address                         of this step, or null if it has none
//     panel.page = async () => text                      the stand-alone page
//     panel.given = text                                 the CoNLL-U it came as, with all columns
//     panel.convert = async (format, view) => text       what the exploration does not carry

import { brackets, conllu, toJson } from "./formats.js";
import { copyText, saveFile } from "./files.js";
import { isDrawable, pictureAsPng, pictureOf } from "./picture.js";
import { exportStyle } from "./export-style.js";
import { html } from "./svg.js";
import { run } from "./transitions.js";

/** The views of a derivation, and what they are called here. */
const VIEW_TITLES = {
  moment: "All of this moment",
  arcs: "Sentence and arcs",
  trees: "Stack as trees",
  buffer: "Buffer",
  yields: "Interleaving yields",
  table: "Derivation table",
  comparison: "Both trees",
};

/** @typedef {{name: string, note?: string, file: string, type: string, make: () => Promise<string>|string}} Taken */

export class ArctreeExport extends HTMLElement {
  /** @type {any} */
  source = null;
  /** @type {string|null} */
  given = null;
  /** @type {Map<string, Element>} pictures from elsewhere on the page */
  others = new Map();
  /** @type {null | (() => string|null)} */
  link = null;
  /** @type {null | (() => Promise<string>|string)} */
  page = null;
  /** @type {null | ((format: string, view: string) => Promise<string>)} */
  convert = null;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [exportStyle()];
    this.body = html("div", { class: "body" });
    this.words = html("p", { class: "status", role: "status" });
    root.append(this.body, this.words);
  }

  /** Show what can be taken of the source as it stands now. */
  refresh() {
    this.words.textContent = "";
    const exploration = this.source?.exploration;
    if (!exploration) {
      this.body.replaceChildren(html("p", {}, "There is no sentence yet."));
      return;
    }
    const address = this.link?.() ?? null;
    const sections = [
      address === null ? null : this.linkSection(address),
      this.pictureSection(exploration),
      this.textSection("The tree", treeTexts(exploration, this.given, this.source.state?.left ?? null)),
      (this.source.state?.left ?? null) === null
        ? null
        : this.textSection("The tree of this what-if", whatIfTexts(exploration, this.source.actions)),
      this.textSection("LaTeX", latexTexts(exploration, this.convert, this.source.actions)),
      this.page === null ? null : this.textSection("This page", [pageText(exploration, this.page)]),
    ];
    this.body.replaceChildren(...sections.filter((section) => section !== null));
  }

  /** @param {string} address */
  linkSection(address) {
    const field = html("input", { type: "text", readonly: true, "aria-label": "Link to this step" });
    field.value = address;
    field.addEventListener("focus", () => field.select());
    return exportSection(
      "Link to this step",
      html("div", { class: "row link" }, field, this.button("Copy", "the link", () => this.copy(() => field.value))),
    );
  }

  pictureSection(exploration) {
    const rows = [...viewsOf(this.source), ...this.others].map(([key, part]) => {
      const name = VIEW_TITLES[key] ?? part.getAttribute("aria-label") ?? key;
      const draw = () => pictureOf(part, `${name}: ${beginningOf(exploration)}`);
      const file = `${fileStem(exploration)}-${key}`;
      return exportRow(
        name,
        this.button("SVG", name, () => this.save(`${file}.svg`, "image/svg+xml", () => draw().text)),
        this.button("PNG", name, () => this.save(`${file}.png`, "image/png", () => pictureAsPng(draw()))),
      );
    });
    return rows.length === 0 ? null : exportSection("Pictures", ...rows);
  }

  /** @param {string} title @param {Taken[]} texts */
  textSection(title, texts) {
    if (texts.length === 0) return null;
    const rows = texts.map(({ name, note, file, type, make }) =>
      exportRow(
        note ? `${name}: ${note}` : name,
        this.button("Copy", name, () => this.copy(make)),
        this.button("Download", name, () => this.save(file, type, make)),
      ),
    );
    return exportSection(title, ...rows);
  }

  button(caption, about, work) {
    return html("button", { type: "button", "aria-label": `${caption} ${about}`, click: work }, caption);
  }

  async copy(make) {
    await this.attempt(async () => {
      const copied = await copyText(await make());
      this.words.textContent = copied ? "Copied." : "The browser did not let us copy; download it instead.";
    });
  }

  async save(file, type, make) {
    await this.attempt(async () => {
      saveFile(file, await make(), type);
      this.words.textContent = `Saved as ${file}.`;
    });
  }

  async attempt(work) {
    try {
      this.words.textContent = "";
      await work();
    } catch (error) {
      const { message = String(error), remedy = "" } = /** @type {any} */ (error);
      this.words.textContent = `That did not work: ${message}${remedy ? `; ${remedy}` : ""}.`;
    }
  }
}

if (!customElements.get("arctree-export")) customElements.define("arctree-export", ArctreeExport);

/**
 * The parts of a derivation that are pictures, by the name of the view.
 * @param {HTMLElement} source
 * @returns {Map<string, Element>}
 */
export function viewsOf(source) {
  const root = source.shadowRoot ?? source;
  const views = new Map();
  const moment = root.querySelector(".pictures");
  if (moment) views.set("moment", moment);
  for (const part of root.querySelectorAll("[data-view]")) {
    const name = part.getAttribute("data-view") ?? "";
    if (!views.has(name) && part.getClientRects().length > 0 && isDrawable(part)) views.set(name, part);
  }
  return views;
}

/**
 * The tree in the formats that hold all of it.
 * @returns {Taken[]}
 */
function treeTexts(exploration, given, left) {
  const stem = fileStem(exploration);
  const { words, heads, labels, lifting, id, text } = exploration;
  const ordered = lifting ?? exploration;
  return [
    {
      name: "CoNLL-U",
      note: given ? "" : "form, tag, head and label",
      file: `${stem}.conllu`,
      type: "text/plain",
      make: () => given?.replace(/\s*$/, "\n\n") ?? conllu(words, heads, labels, { id, text }),
    },
    {
      name: lifting ? "Brackets (of the lifted tree)" : "Brackets",
      file: `${stem}.mrg`,
      type: "text/plain",
      make: () => brackets(words, ordered.heads, ordered.labels),
    },
    { name: "JSON", file: `${stem}.json`, type: "application/json", make: () => jsonText(exploration) },
  ].map((text) => (left === null ? text : { ...text, note: "of the given tree, which this what-if has left" }));
}

/**
 * The tree that a what-if builds which has left the given one. An arc of both keeps its label.
 * @returns {Taken[]}
 */
function whatIfTexts(exploration, actions) {
  const { words, lifting, id, text } = exploration;
  const tree = lifting ?? exploration;
  const heads = run(words.length, actions).at(-1).heads;
  const labels = heads.map((head, place) => {
    if (head === tree.heads[place]) return tree.labels[place];
    return head === 0 ? "root" : "UA";
  });
  const stem = `${fileStem(exploration)}-what-if`;
  return [
    ["CoNLL-U of the what-if", "conllu", () => conllu(words, heads, labels, { id, text })],
    ["Brackets of the what-if", "mrg", () => brackets(words, heads, labels)],
  ].map(([name, ending, make]) => ({ name, file: `${stem}.${ending}`, type: "text/plain", make }));
}

function jsonText({ words, heads, labels, id, text }) {
  return `${JSON.stringify(toJson(words, heads, labels, { id, text }), null, 2)}\n`;
}

/** @returns {Taken[]} */
function latexTexts(exploration, convert, actions) {
  // What the exploration carries is of its own derivation; another one only a server can draw.
  const isOther = (/** @type {string} */ view) => view === "derivation" && actions !== exploration.transitions;
  const stem = fileStem(exploration);
  const views = [["arcs", "Arcs"], ["tree", "Ordered tree"], ["derivation", "Derivation table"]];
  return views
    .filter(([view]) => exploration.latex?.[view] || convert)
    .map(([view, name]) => ({
      name,
      note: isOther(view) && !convert ? "the canonical one" : "",
      file: `${stem}-${view}.tex`,
      type: "text/x-tex",
      make: () => (convert && isOther(view) ? null : exploration.latex?.[view]) ?? convert("latex", view),
    }));
}

/** @returns {Taken} */
function pageText(exploration, page) {
  return { name: "Stand-alone HTML", file: `${fileStem(exploration)}.html`, type: "text/html", make: page };
}

function exportSection(title, ...rows) {
  return html("section", { "aria-label": title }, html("h3", {}, title), ...rows);
}

function exportRow(name, ...buttons) {
  return html("div", { class: "row" }, html("span", { class: "name" }, name), ...buttons);
}

function beginningOf({ words }) {
  const beginning = words.slice(0, 12).map(({ shown, form }) => shown ?? form).join(" ");
  return words.length > 12 ? `${beginning} …` : beginning;
}

/** The first words as the name of a file, in letters and digits of any script. */
function fileStem({ words }) {
  const stem = words.slice(0, 4).map(({ form }) => form.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, ""));
  return stem.filter((word) => word !== "").join("-").slice(0, 60) || "arctree";
}
