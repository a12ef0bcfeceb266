// @ts-check
/**
 * The stack as growing ordered trees, (σ, β, T), lined up over their words, and the buffer
 * that goes on where they end: read from left to right, the yields on the stack and the words
 * in the buffer are the sentence. That is what contiguity looks like.
 *
 * A node stands over its anchor, as high as what is below it needs; so an attachment lifts the
 * head's node and moves nothing else. The straight strong branch goes down to the anchor.
 *
 * @typedef {import("./columns.js").Columns} Columns
 * @typedef {import("../state.js").DerivationState} DerivationState
 * @typedef {{height: number, parent: number, taken: number, first: number, last: number}} Node
 */
import { html, setAttributes, setText, svg, textWidth, WORD_FONT } from "../svg.js";
import { UNLABELLED, labelText, labelWidth, nameWidth, primes } from "./columns.js";

const TREE_TOP = 34;
const TREE_PILL = 24;
const TREE_FOOT = 46;
const APPEARING = [{ opacity: 0 }, { opacity: 1 }];
const APPEARING_TIME = 220;

export class TreesView {
  constructor() {
    this.boxes = svg("g", { class: "boxes" });
    this.branches = svg("g", { class: "branches" });
    this.root = svg("g", { class: "root-item" });
    this.nodes = svg("g", { class: "nodes" });
    this.span = svg("path", { class: "span away" });
    this.picture = svg(
      "svg", { class: "picture", role: "group" }, this.boxes, this.branches, this.root, this.span, this.nodes,
    );
    this.trees = html("div", { class: "trees", "data-view": "trees" }, this.picture);
    this.frame = svg("rect", { class: "frame", rx: 10 });
    this.frameName = svg("text", { class: "frame-name" });
    this.line = svg("g", { class: "words" });
    this.bufferPicture = svg("svg", { class: "picture", role: "group" }, this.frame, this.frameName, this.line);
    this.list = html("ol", { class: "unseen", "aria-label": "Words in the buffer" });
    this.buffer = html("div", { class: "buffer", "data-view": "buffer" }, this.bufferPicture, this.list);
    this.caption = html("figcaption", {}, "Stack and buffer");
    this.band = html("div", { class: "band" }, this.trees, this.buffer);
    this.element = html("figure", {}, this.caption, this.band);
    /** @type {any[]} */
    this.drawn = [];
    /** @type {any[]} */
    this.unread = [];
    /** @type {Node[]} */
    this.before = [];
  }

  /**
   * Begin with another sentence.
   * @param {DerivationState} state
   * @param {Columns} columns
   */
  reset(state, columns) {
    this.columns = columns;
    this.before = [];
    this.levels = 0;
    this.drawn = state.words.map((_, index) => treeNode(columns, index));
    this.unread = state.words.map((word, index) => bufferWord(columns, index, word.form));
    this.nodes.replaceChildren(...this.drawn.map(({ group }) => group));
    this.branches.replaceChildren(...this.drawn.map(({ branch }) => branch));
    this.boxes.replaceChildren(...this.drawn.map(({ box }) => box));
    this.line.replaceChildren(...this.unread);
    const { root, rootWidth } = columns;
    this.root.replaceChildren(
      svg("rect", { x: root - rootWidth / 2, y: -15, width: rootWidth, height: 26, rx: 7 }),
      svg("text", { x: root, y: 3 }, "root"),
      svg("text", { class: "under", x: root, y: 38 }, ""),
    );
    setAttributes(this.picture, { width: columns.total });
    setAttributes(this.bufferPicture, { width: columns.total });
  }

  /**
   * @param {DerivationState} state
   * @param {boolean} isMoving whether what moves is seen to move
   */
  update(state, isMoving) {
    const { configuration } = state;
    const nodes = treeNodes(configuration);
    const final = treeNodes(state.configurations[state.last]);
    this.measure(Math.max(1, ...final.map(({ height }) => height)));
    this.finished = state.missedArcs().length === 0 ? "finished: T(D)" : "finished: another tree";
    const { stack } = configuration;
    const isFinished = stack.length === 1 && configuration.next > state.size;
    const tops = new Set(isFinished ? configuration.arcs.slice(-1).map(([, top]) => top) : stack.slice(1));
    this.drawn.forEach((drawn, index) => {
      const position = index + 1;
      const isRead = position < configuration.next;
      drawn.group.classList.toggle("away", !isRead);
      setAttributes(drawn.group, { "data-item": isRead ? "" : null });
      this.drawBranch(drawn, position, nodes, isRead && !tops.has(position));
      this.drawBox(drawn, position, nodes[position], tops.has(position), stack, isFinished);
      if (isRead) this.drawNode(drawn, position, state, nodes, tops.has(position), isFinished, isMoving);
    });
    const place = isFinished ? "" : (["top", "second"][stack.length - 1] ?? "");
    setText(this.root.lastChild, place);
    this.before = nodes;
    this.drawBuffer(state);
    const count = tops.size;
    setAttributes(this.picture, {
      "aria-label": `Stack: the root${count ? ` and ${count} ${count === 1 ? "tree" : "trees"}` : ""}`,
    });
  }

  /** @param {number} levels how high the highest tree will be */
  measure(levels) {
    if (levels === this.levels) return;
    this.levels = levels;
    this.pitch = Math.max(30, Math.min(42, 300 / levels));
    this.foot = TREE_TOP + levels * this.pitch + 26;
    setAttributes(this.picture, { height: this.foot + TREE_FOOT });
    setAttributes(this.bufferPicture, { height: 66 });
    setAttributes(this.root, { transform: `translate(0 ${this.foot})` });
    for (const { leaf } of this.drawn) setAttributes(leaf, { y: this.foot + WORD_FONT * 0.3 });
    this.before = [];
  }

  /** @param {number} height */
  y(height) {
    return this.foot - 12 - height * this.pitch;
  }

  /**
   * @param {any} drawn
   * @param {number} position
   * @param {DerivationState} state
   * @param {Node[]} nodes
   * @param {boolean} isTop
   * @param {boolean} isFinished
   * @param {boolean} isMoving
   */
  drawNode(drawn, position, state, nodes, isTop, isFinished, isMoving) {
    const node = nodes[position];
    const x = this.columns.x(position);
    const y = this.y(node.height);
    const word = this.columns.shown[position - 1];
    const isGold = node.parent >= 0 && state.heads[position - 1] === node.parent;
    const label = isGold ? labelText(state.labels[position - 1]) : UNLABELLED;
    const isNamed = isTop && !isFinished;
    const width = (isNamed ? nameWidth(word, node.taken) : labelWidth(label)) + 14;
    setAttributes(drawn.pill, { transform: `translate(${x} ${y})` });
    setAttributes(drawn.pillBack, { x: -width / 2, width });
    setAttributes(drawn.anchor, { d: `M${x} ${y + TREE_PILL / 2}V${this.foot - 13}` });
    setText(drawn.letter, isNamed ? `t${primes(node.taken)}` : "");
    setText(drawn.subscript, isNamed ? word : "");
    setText(drawn.label, isNamed ? "" : label);
    drawn.group.classList.toggle("top", isTop);
    drawn.group.classList.toggle("other", !isTop && !isGold);
    drawn.group.classList.toggle("lifted", isGold && state.labels[position - 1].includes("↑"));
    setAttributes(drawn.group, { "aria-label": nodeSentence(state, position, node, isNamed ? "" : label) });
    const old = this.before[position];
    if (!isMoving || !old) return;
    if (old.height === 0) drawn.group.animate(APPEARING, APPEARING_TIME);
    if (old.parent < 0 && node.parent > 0) drawn.branch.animate(APPEARING, APPEARING_TIME);
  }

  /**
   * @param {any} drawn
   * @param {number} position
   * @param {Node[]} nodes
   * @param {boolean} isAttached
   */
  drawBranch(drawn, position, nodes, isAttached) {
    drawn.branch.classList.toggle("away", !isAttached);
    if (!isAttached) return;
    const { parent, height } = nodes[position];
    const [from, to] = [this.columns.x(parent), this.columns.x(position)];
    const [above, below] = [this.y(nodes[parent].height), this.y(height) - TREE_PILL / 2];
    const turn = Math.min(9, Math.abs(to - from) / 2, below - above);
    const step = to > from ? turn : -turn;
    setAttributes(drawn.branch, {
      d: `M${from} ${above}H${to - step}Q${to} ${above} ${to} ${above + turn}V${below}`,
    });
  }

  /**
   * @param {any} drawn
   * @param {number} position
   * @param {Node} node
   * @param {boolean} isTop
   * @param {readonly number[]} stack
   * @param {boolean} isFinished
   */
  drawBox(drawn, position, node, isTop, stack, isFinished) {
    drawn.box.classList.toggle("away", !isTop);
    if (!isTop) return;
    const [left, right] = this.edges(node.first, node.last);
    const top = this.y(node.height) - TREE_PILL / 2 - 8;
    setAttributes(drawn.boxBack, { x: left, y: top, width: right - left, height: this.foot + 18 - top });
    const place = stack.length - 1 - stack.indexOf(position);
    const isActive = !isFinished && place < 2;
    drawn.box.classList.toggle("active", isActive);
    setText(drawn.boxName, isFinished ? this.finished : ["top", "second"][place] ?? "");
    setAttributes(drawn.boxName, { x: (left + right) / 2, y: this.foot + 38 });
  }

  /**
   * @param {number} first
   * @param {number} last
   */
  edges(first, last) {
    const { widths } = this.columns.placed;
    const ends = [first, last].flatMap((position) => {
      const half = widths[position - 1] / 2 + this.columns.air;
      return [this.columns.x(position) - half, this.columns.x(position) + half];
    });
    return [Math.min(...ends), Math.max(...ends)];
  }

  /** @param {DerivationState} state */
  drawBuffer(state) {
    const { next: first } = state.configuration;
    const isEmpty = first > state.size;
    this.unread.forEach((word, index) => {
      word.classList.toggle("away", index + 1 < first);
      word.classList.toggle("front", index + 1 === first);
      setAttributes(word, { "data-item": index + 1 < first ? null : "" });
    });
    this.frame.classList.toggle("away", isEmpty);
    this.frameName.classList.toggle("away", isEmpty);
    if (!isEmpty) {
      const [left, right] = this.edges(first, state.size);
      setAttributes(this.frame, { x: left, y: 2, width: right - left, height: 36 });
      setAttributes(this.frameName, { x: (left + right) / 2, y: 58 });
      setText(this.frameName, "buffer");
    }
    const count = state.size + 1 - first;
    const words = count === 1 ? "1 word" : `${count} words`;
    setAttributes(this.bufferPicture, { "aria-label": isEmpty ? "Buffer: empty" : `Buffer: ${words}` });
    setText(this.caption, `Stack as trees, and buffer${isEmpty ? " (empty)" : ` (${words})`}`);
    while (this.list.children.length > count) this.list.firstChild.remove();
    while (this.list.children.length < count) {
      const position = state.size - this.list.children.length;
      this.list.prepend(html("li", {}, state.words[position - 1].form));
    }
  }

  /**
   * Light up nodes and words, and the span of the first of them.
   * @param {number[]} positions
   */
  light(positions) {
    this.drawn.forEach(({ group, branch }, index) => {
      const isLit = positions.includes(index + 1);
      group.classList.toggle("lit", isLit);
      branch.classList.toggle("lit", positions[0] === index + 1);
      this.unread[index].classList.toggle("lit", isLit);
    });
    const node = this.before[positions[0]];
    const isSeen = node !== undefined && node.height > 0;
    this.span.classList.toggle("away", !isSeen);
    if (!isSeen) return;
    const [left, right] = this.edges(node.first, node.last);
    setAttributes(this.span, { d: `M${left + 6} ${this.foot + 13}v4H${right - 6}v-4` });
  }
}

/**
 * The nodes of all trees, by their anchors; each as high as what is below it needs.
 * @param {import("../transitions.js").Configuration} configuration
 * @returns {Node[]}
 */
export function treeNodes(configuration) {
  /** @type {Node[]} */
  const nodes = [];
  for (let position = 0; position <= configuration.size; position += 1) {
    const isRead = position < configuration.next;
    nodes.push({ height: isRead ? 1 : 0, parent: -1, taken: 0, first: position, last: position });
  }
  for (const [head, dependent] of configuration.arcs) {
    const above = nodes[head];
    const below = nodes[dependent];
    below.parent = head;
    if (head === 0) continue;
    above.height = Math.max(above.height, below.height + 1);
    above.taken += 1;
    above.first = Math.min(above.first, below.first);
    above.last = Math.max(above.last, below.last);
  }
  return nodes;
}

/**
 * @param {Columns} columns
 * @param {number} index
 */
function treeNode(columns, index) {
  const anchor = svg("path", { class: "anchor" });
  const pillBack = svg("rect", { class: "pill", y: -TREE_PILL / 2, height: TREE_PILL, rx: 7 });
  const letter = svg("tspan", { class: "letter" });
  const subscript = svg("tspan", { class: "subscript", dy: 3 });
  const label = svg("text", { class: "label", y: 4 });
  const pill = svg("g", {}, pillBack, svg("text", { class: "name", y: 3 }, letter, subscript), label);
  const x = columns.x(index + 1);
  const word = columns.shown[index];
  const width = textWidth(word, WORD_FONT) + 12;
  const leaf = svg("text", { class: "leaf", x }, word);
  const group = svg(
    "g",
    { class: "node", role: "img", tabindex: "-1", "data-position": index + 1, "data-width": Math.round(width) },
    anchor, pill, leaf,
  );
  const boxBack = svg("rect", { class: "box-back", rx: 10 });
  const boxName = svg("text", { class: "under" });
  const box = svg("g", { class: "box away", "data-position": index + 1 }, boxBack, boxName);
  const branch = svg("path", { class: "branch away", "data-position": index + 1 });
  return { group, anchor, pill, pillBack, letter, subscript, label, leaf, box, boxBack, boxName, branch };
}

/**
 * @param {Columns} columns
 * @param {number} index
 * @param {string} form
 */
function bufferWord(columns, index, form) {
  const x = columns.x(index + 1);
  const width = columns.placed.widths[index];
  return svg(
    "g",
    { class: "word waiting", role: "img", tabindex: "-1", "data-position": index + 1, "aria-label": `${form}, in the buffer` },
    svg("rect", { class: "glow", x: x - width / 2, y: 6, width, height: 28, rx: 7 }),
    svg("text", { x, y: 20 + WORD_FONT * 0.3 }, columns.shown[index]),
  );
}

/**
 * @param {DerivationState} state
 * @param {number} position
 * @param {Node} node
 * @param {string} label
 */
function nodeSentence(state, position, { first, last }, label) {
  const word = state.words[position - 1].form;
  const span = first === last ? `word ${first}` : `words ${first} to ${last}`;
  return `${label ? `${label}: ` : "tree "}anchored in ${word}, over ${span}`;
}
