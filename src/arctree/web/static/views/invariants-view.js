// @ts-check
/**
 * The three invariants of the mapped system (Section 3.2), shown to hold at every step, and
 * the span and anchor of the tree that is looked at: the focused one, or the top of the stack.
 *
 * @typedef {import("../state.js").DerivationState} DerivationState
 */
import { invariants } from "../transitions.js";
import { html, setText } from "../svg.js";
import { primes, wordText } from "./columns.js";
import { treeNodes } from "./trees-view.js";

const INVARIANT_TITLES = {
  "contiguous yields": "Contiguous yields",
  "unique anchors": "Unique anchor",
  "licensed sides": "Licensed side",
};

export class InvariantsView {
  constructor() {
    this.items = Object.entries(INVARIANT_TITLES).map(([name, title]) => {
      const mark = html("span", { class: "tick", "aria-hidden": "true" });
      const heard = html("span", { class: "unseen" });
      const detail = html("span", { class: "detail" });
      const element = html("li", {}, mark, html("span", {}, html("b", {}, title), " ", heard, detail));
      return { name, mark, heard, detail, element };
    });
    this.looked = html("p", { class: "looked" });
    this.element = html(
      "section", { class: "card invariants", "aria-label": "Invariants" },
      html("h3", {}, "Invariants"),
      html("ul", {}, ...this.items.map(({ element }) => element)),
      this.looked,
    );
  }

  /** @param {DerivationState} state */
  update(state) {
    const found = new Map(invariants(state.configuration).map((item) => [item.name, item]));
    for (const { name, mark, heard, detail, element } of this.items) {
      const invariant = found.get(name);
      if (!invariant) continue;
      element.classList.toggle("broken", !invariant.holds);
      setText(mark, invariant.holds ? "✓" : "✕");
      setText(heard, invariant.holds ? "holds: " : "does not hold: ");
      setText(detail, invariant.detail);
    }
    this.look(state);
  }

  /** Tell of the tree that is looked at. */
  look(/** @type {DerivationState} */ state) {
    const { configuration, focused } = state;
    const { stack, arcs, next: unread } = configuration;
    const top = stack.length > 1 ? stack[stack.length - 1] : (arcs[arcs.length - 1] ?? [0, 0])[1];
    const isRead = focused !== null && focused > 0 && focused < unread;
    const position = isRead ? focused : top;
    if (position < 1) {
      this.looked.replaceChildren("The stack holds the root only, which has no yield and no anchor.");
      return;
    }
    const node = treeNodes(configuration)[position];
    const word = wordText(state.words[position - 1]);
    const words = state.words.slice(node.first - 1, node.last).map(wordText);
    const shown = words.length > 12 ? [...words.slice(0, 6), "…", ...words.slice(-5)] : words;
    this.looked.replaceChildren(
      html("span", { class: "which" }, isRead ? "In focus" : stack.length > 1 ? "Top of the stack" : "Finished"),
      " ",
      html("span", { class: "chip" }, html("i", {}, `t${primes(node.taken)}`), html("sub", {}, html("bdi", {}, word))),
      " anchor ", html("b", {}, html("bdi", {}, word)), ` (word ${position}), span `,
      html("b", {}, node.first === node.last ? `${node.first}` : `${node.first}–${node.last}`),
      ": ", html("q", {}, html("bdi", {}, shown.join(" "))),
    );
  }
}
