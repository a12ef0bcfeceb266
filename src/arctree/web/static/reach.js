// @ts-check
/**
 * How much of a tree can still be had from a configuration that may have left it, and how:
 * what a what-if has lost, exactly, and how it goes on with the least further loss.
 *
 * What lies on the stack is joined from its top: no two of its trees can be joined before all
 * above them are. So a completion grows one tree from the top of the stack, which takes, or is
 * taken by, its left neighbour on the stack or its right neighbour in the buffer, until all is
 * one tree. The buffer is first gathered into fragments: whatever has all it still wants
 * within the buffer is built there, for that costs nothing. A table over (how far to the left,
 * how far to the right, which head) then holds the most arcs of the tree that can be had. That
 * this is the best of all completions is tested against all of them.
 *
 * @typedef {import("./transitions.js").Configuration} Configuration
 * @typedef {{kept: number, actions: string}} Completion
 * @typedef {{key: number, head: number, other: number, score: number, from: Join|null}} Join
 */
import { isTerminal } from "./transitions.js";
import { canonical } from "./oracle.js";

/**
 * The best completion: its actions, and how many arcs of the tree the end has.
 * @param {Configuration} configuration
 * @param {readonly number[]} heads
 * @returns {Completion}
 */
export function bestCompletion(configuration, heads) {
  const there = configuration.heads.filter((head, index) => head === heads[index]).length;
  if (isTerminal(configuration)) return { kept: there, actions: "" };
  const left = configuration.stack.slice(1);
  const right = bufferFragments(configuration, heads);
  const inside = right.reduce((sum, { words }) => sum + words.length - 1, 0);
  const table = joinTable(left, right.map(({ top }) => top), heads);
  return {
    kept: there + inside + table.score,
    /** Worked out only for whoever asks. */
    get actions() {
      return completionActions(table.joins, left.length === 0, right, heads);
    },
  };
}

/**
 * The buffer in fragments of the tree. A word goes to its head's fragment, if that is in the
 * buffer and nothing below the word waits on the stack.
 * @param {Configuration} configuration
 * @param {readonly number[]} heads
 * @returns {{top: number, words: number[]}[]}
 */
function bufferFragments({ stack, next: unread, size }, heads) {
  const isWaiting = new Set();
  for (const position of stack.slice(1)) {
    let head = heads[position - 1];
    while (head >= unread && !isWaiting.has(head)) {
      isWaiting.add(head);
      head = heads[head - 1];
    }
  }
  /** @type {Map<number, {top: number, words: number[]}>} */
  const fragments = new Map();
  for (let word = unread; word <= size; word += 1) {
    let top = word;
    while (heads[top - 1] >= unread && !isWaiting.has(top)) top = heads[top - 1];
    const fragment = fragments.get(top) ?? { top, words: [] };
    fragment.words.push(word);
    fragments.set(top, fragment);
  }
  return [...fragments.values()].sort((one, other) => one.top - other.top);
}

/**
 * The most arcs that joining can add, and the joins in their order: on which side, and how.
 *
 * Most of the table need not be filled. What belongs to nothing that is still to be joined adds
 * no arc, wherever it goes: as an item it is left out of the table, and of all heads like that
 * the best one stands for the others. And what belongs to the present head alone is best taken
 * by it at once.
 * @param {readonly number[]} left the stack above the root, bottom first
 * @param {readonly number[]} right the tops of the fragments
 * @param {readonly number[]} heads
 * @returns {{score: number, joins: {side: string, action: string}[]}}
 */
function joinTable(left, right, heads) {
  const items = [...left, ...right];
  const partners = partnersOf(items, heads);
  const start = Math.max(0, left.length - 1);
  const isIn = (/** @type {number} */ item) => item === start || partners[item].count > 0;
  const within = items.map((_, item) => item).filter(isIn);
  const lefts = within.filter((item) => item < left.length).reverse();
  const rights = within.filter((item) => item >= left.length);
  const columns = rights.length + 1;
  /** @type {(Join[]|undefined)[]} by how far to the left, and how far to the right */
  const table = new Array((lefts.length + 1) * columns);
  const reach = (/** @type {number} */ at, /** @type {Join|null} */ from, /** @type {number} */ head, /** @type {number} */ other) => {
    const { first, last } = partners[head];
    const low = lefts[Math.floor(at / columns) - 1] ?? left.length;
    const high = rights[(at % columns) - 1] ?? left.length - 1;
    const key = first < low || last > high ? head : -1;
    const score = (from?.score ?? 0) + (heads[items[other] - 1] === items[head] ? 1 : 0);
    const place = (table[at] ??= []);
    const known = place.find((join) => join.key === key);
    if (known === undefined) place.push({ key, head, other, score, from });
    else if (known.score < score) Object.assign(known, { head, other, score, from });
  };
  reach(left.length > 0 ? columns : 1, null, start, start);
  for (let at = 0; at < table.length; at += 1) {
    for (const from of table[at] ?? []) {
      const nextItems = [
        { to: at + columns, item: lefts[Math.floor(at / columns)] },
        { to: at + 1, item: rights[at % columns] },
      ].filter(({ item }) => item !== undefined);
      const own = nextItems.find(({ item }) => partners[item].count === 1 && items[from.head] === heads[items[item] - 1]);
      if (own) reach(own.to, from, from.head, own.item);
      for (const { to, item } of own ? [] : nextItems) {
        reach(to, from, from.head, item);
        reach(to, from, item, from.head);
      }
    }
  }
  return readJoins(table[table.length - 1] ?? [], items, left.length, heads);
}

/**
 * For each item, how many others it is joined to in the tree, and the first and the last of
 * them. For the word that belongs to the root, the root is one, before all others.
 * @param {readonly number[]} items
 * @param {readonly number[]} heads
 */
function partnersOf(items, heads) {
  const places = new Map(items.map((item, index) => [item, index]));
  const found = items.map((_, index) => ({ count: 0, first: index, last: index }));
  items.forEach((item, index) => {
    const head = heads[item - 1] === 0 ? -1 : places.get(heads[item - 1]);
    if (head === undefined) return;
    for (const [one, other] of [[index, head], [head, index]]) {
      if (one < 0) continue;
      found[one].count += 1;
      found[one].first = Math.min(found[one].first, other);
      found[one].last = Math.max(found[one].last, other);
    }
  });
  return found;
}

/**
 * Read the joins back from the best one at the end. What was left out is taken on the way.
 * @param {Join[]} ends
 * @param {readonly number[]} items
 * @param {number} lefts
 * @param {readonly number[]} heads
 */
function readJoins(ends, items, lefts, heads) {
  const total = (/** @type {Join} */ { head, score }) => score + (heads[items[head] - 1] === 0 ? 1 : 0);
  const best = ends.reduce((one, other) => (total(other) > total(one) ? other : one));
  const way = [];
  for (let join = best; join.from !== null; join = join.from) {
    const isKept = join.head === join.from.head;
    way.push({ item: isKept ? join.other : join.head, isKept });
  }
  let [low, high] = lefts > 0 ? [lefts - 2, lefts] : [-1, 1]; // what is joined next
  /** @type {{side: string, action: string}[]} */
  const joins = [];
  const joinLeft = (/** @type {number} */ item, /** @type {string} */ action) => {
    for (; low >= item; low -= 1) joins.push({ side: "left", action: low === item ? action : "L" });
  };
  const joinRight = (/** @type {number} */ item, /** @type {string} */ action) => {
    for (; high <= item; high += 1) joins.push({ side: "right", action: high === item ? action : "R" });
  };
  for (const { item, isKept } of way.reverse()) {
    if (item < lefts) joinLeft(item, isKept ? "L" : "R");
    else joinRight(item, isKept ? "R" : "L");
  }
  joinLeft(0, "L");
  joinRight(items.length - 1, "R");
  return { score: total(best), joins };
}

/**
 * @param {{side: string, action: string}[]} joins
 * @param {boolean} isBare whether the stack holds the root only
 * @param {{top: number, words: number[]}[]} fragments
 * @param {readonly number[]} heads
 */
function completionActions(joins, isBare, fragments, heads) {
  const waiting = fragments.map((fragment) => fragmentActions(fragment, heads));
  let actions = isBare ? (waiting.shift() ?? "") : "";
  for (const { side, action } of joins) {
    actions += (side === "right" ? waiting.shift() : "") + action;
  }
  return `${actions}R`;
}

/**
 * How a fragment is built: as the canonical derivation of it alone, but for the root's arc.
 * @param {{top: number, words: number[]}} fragment
 * @param {readonly number[]} heads
 */
function fragmentActions({ top, words }, heads) {
  const first = words[0];
  const inner = words.map((word) => (word === top ? 0 : heads[word - 1] - first + 1));
  return canonical(inner).slice(0, -1);
}
