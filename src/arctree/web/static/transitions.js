// @ts-check
/**
 * The arc-standard transitions, over arcs and over trees (Section 3.2): what
 * `arctree.transitions` is in Python, with the same conditions and the same words.
 *
 *     S  SHIFT     (σ, i|β, A)    -> (σ|i, β, A)              the buffer is not empty
 *     L  LEFTARC   (σ|i|j, β, A)  -> (σ|j, β, A ∪ {j -> i})   i exists and is not the root
 *     R  RIGHTARC  (σ|i|j, β, A)  -> (σ|i, β, A ∪ {i -> j})   i exists; if it is the root,
 *                                                             the buffer is empty
 *
 * Positions count from 1, and 0 is the root, which lies at the bottom of the stack and takes
 * its one dependent last. A configuration is frozen: a step makes another one, so that any
 * step can be branched from and undone. There are no dead ends: every sequence of legal
 * transitions goes on to a single tree after 2n steps.
 *
 * @typedef {"S" | "L" | "R"} Action
 * @typedef {readonly [number, number]} Arc  head and dependent
 * @typedef {object} Configuration
 * @property {number} size  how many words the sentence has
 * @property {readonly number[]} stack  positions, the bottom (the root, 0) first
 * @property {number} next  the first word that is not yet read; size + 1 if there is none
 * @property {readonly number[]} heads  of word p at index p - 1; -1 while it has none
 * @property {readonly Arc[]} arcs  in the order in which they were added
 * @typedef {object} Tree  an ordered tree: one node for every word
 * @property {number} anchor  the position of its word
 * @property {number} first  the first word of its yield
 * @property {number} last  the last one
 * @property {Tree[]} left  the trees of the dependents before the anchor, in surface order
 * @property {Tree[]} right  those after it
 * @typedef {{name: string, holds: boolean, detail: string}} Invariant
 */

/** The names that the paper gives to the actions. */
export const NAMES = Object.freeze({ S: "SHIFT", L: "LEFTARC", R: "RIGHTARC" });

/** The actions, in the order in which they are shown. */
export const ACTIONS = Object.freeze(/** @type {Action[]} */ (["S", "L", "R"]));

/**
 * ([root], [1, ..., n], {}).
 * @param {number} size
 * @returns {Configuration}
 */
export function initial(size) {
  if (!Number.isInteger(size) || size < 1) {
    throw new Error("a sentence has at least one word");
  }
  return frozen(size, [0], 1, new Array(size).fill(-1), []);
}

/**
 * Why an action is not legal here; null if it is.
 * @param {Configuration} configuration
 * @param {string} action
 * @returns {string | null}
 */
export function obstacle(configuration, action) {
  const hasBuffer = configuration.next <= configuration.size;
  if (action === "S") {
    return hasBuffer ? null : "the buffer is empty";
  }
  if (action !== "L" && action !== "R") {
    throw new Error(`${JSON.stringify(action)} is no action: S, L and R are`);
  }
  if (configuration.stack.length < 2) {
    return "the stack holds fewer than two items";
  }
  const rootIsSecond = configuration.stack.length === 2;
  if (action === "L" && rootIsSecond) {
    return "the root cannot become a dependent";
  }
  if (action === "R" && rootIsSecond && hasBuffer) {
    return "the root takes its one dependent last, when the buffer is empty";
  }
  return null;
}

/**
 * The next configuration; an Error says why there is none.
 * @param {Configuration} configuration
 * @param {string} action
 * @returns {Configuration}
 */
export function apply(configuration, action) {
  const reason = obstacle(configuration, action);
  if (reason !== null) {
    throw new Error(`${NAMES[/** @type {Action} */ (action)]} is not legal: ${reason}`);
  }
  const { size, stack, next, heads, arcs } = configuration;
  const arc = arcOf(configuration, action);
  if (arc === null) {
    return frozen(size, [...stack, next], next + 1, heads, arcs);
  }
  const [head, dependent] = arc;
  const stackAfter = stack.slice(0, -1);
  stackAfter[stackAfter.length - 1] = head;
  const headsAfter = heads.slice();
  headsAfter[dependent - 1] = head;
  return frozen(size, stackAfter, next, headsAfter, [...arcs, arc]);
}

/**
 * Whether only the root is left, and has its dependent.
 * @param {Configuration} configuration
 */
export function isTerminal(configuration) {
  return configuration.stack.length === 1 && configuration.next > configuration.size;
}

/**
 * All configurations that a sequence of actions passes, the initial one first.
 * @param {number} size
 * @param {string} actions
 * @returns {Configuration[]}
 */
export function run(size, actions) {
  const configurations = [initial(size)];
  for (const action of actions) {
    configurations.push(apply(configurations[configurations.length - 1], action));
  }
  return configurations;
}

/**
 * The arc that a legal action adds; null for SHIFT, or where the stack is too short.
 * @param {Configuration} configuration
 * @param {string} action
 * @returns {Arc | null}
 */
export function arcOf({ stack }, action) {
  if (action === "S" || stack.length < 2) {
    return null;
  }
  const top = stack[stack.length - 1];
  const second = stack[stack.length - 2];
  return Object.freeze(
    /** @type {[number, number]} */ (action === "L" ? [top, second] : [second, top]),
  );
}

/**
 * How many actions have led to a configuration: one for each word read, one for each arc.
 * @param {Configuration} configuration
 */
export function stepsTaken(configuration) {
  return configuration.next - 1 + configuration.arcs.length;
}

/**
 * T: the trees on the stack above the root, bottom to top; at the end the finished one.
 *
 * They are built as the mapped transitions build them: LEFTARC puts a tree before all other
 * dependents of its head, RIGHTARC after them. That this is also the surface order is what
 * `invariants` checks.
 * @param {Configuration} configuration
 * @returns {Tree[]}
 */
export function trees(configuration) {
  /** @type {Tree[]} */
  const built = [];
  for (let position = 0; position < configuration.next; position += 1) {
    built.push({ anchor: position, first: position, last: position, left: [], right: [] });
  }
  let tops = configuration.stack.slice(1);
  for (const [head, dependent] of configuration.arcs) {
    if (head === 0) {
      tops = [dependent];
    } else if (dependent < head) {
      built[head].left.unshift(built[dependent]);
      built[head].first = built[dependent].first;
    } else {
      built[head].right.push(built[dependent]);
      built[head].last = built[dependent].last;
    }
  }
  return tops.map((position) => built[position]);
}

/**
 * The nodes of a tree in preorder, each head before its dependents.
 * @param {Tree} tree
 * @returns {Tree[]}
 */
export function nodesOf(tree) {
  const nodes = [];
  const agenda = [tree];
  for (let node = agenda.pop(); node !== undefined; node = agenda.pop()) {
    nodes.push(node);
    pushReversed(agenda, node.right);
    pushReversed(agenda, node.left);
  }
  return nodes;
}

/**
 * The leaves of a tree from left to right, as the tree has them: its yield.
 * @param {Tree} tree
 * @returns {number[]}
 */
export function yieldOf(tree) {
  const positions = [];
  /** @type {(Tree | number)[]} */
  const agenda = [tree];
  for (let item = agenda.pop(); item !== undefined; item = agenda.pop()) {
    if (typeof item === "number") {
      positions.push(item);
    } else {
      pushReversed(agenda, item.right);
      agenda.push(item.anchor);
      pushReversed(agenda, item.left);
    }
  }
  return positions;
}

/**
 * The three invariants of the mapped system, each worked out from the leaves.
 *
 * 1. Each partial tree has a contiguous yield; and the yields, in the order of the stack, are
 *    the words read so far.
 * 2. Each partial tree has a unique lexical anchor: every word read anchors exactly one node.
 * 3. Each attachment is on the licensed side: in every node the dependents' anchors are in
 *    surface order, those on the left before the node's anchor, those on the right after it.
 * @param {Configuration} configuration
 * @returns {Invariant[]}
 */
export function invariants(configuration) {
  const parts = trees(configuration);
  const read = configuration.next - 1;
  const nodes = parts.flatMap(nodesOf);
  const faults = [yieldFault(parts, read), anchorFault(nodes, read), sideFault(nodes)];
  const details = whatHolds(parts, read);
  return ["contiguous yields", "unique anchors", "licensed sides"].map((name, index) => ({
    name,
    holds: faults[index] === null,
    detail: faults[index] ?? details[index],
  }));
}

/**
 * What there is to see of the invariants while they hold.
 * @param {Tree[]} parts
 * @param {number} read
 * @returns {string[]}
 */
function whatHolds(parts, read) {
  if (read === 0) {
    return ["no word is read yet", "no word is read yet", "nothing is attached yet"];
  }
  const spans = parts.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
  const attached = read - parts.length;
  const them = attached === 1 ? "it" : "them";
  return [
    `the yields are ${spans.join(", ")}`,
    `${plural(read, "word")}, ${plural(read, "anchor")}`,
    attached === 0
      ? "nothing is attached yet"
      : `${plural(attached, "dependent")} on the side of the head where the sentence has ${them}`,
  ];
}

/**
 * @param {Tree[]} parts
 * @param {number} read
 * @returns {string | null}
 */
function yieldFault(parts, read) {
  let expected = 1;
  for (const tree of parts) {
    const positions = yieldOf(tree);
    if (positions.some((position, index) => position !== positions[0] + index)) {
      return `the yield ${positions.join(" ")} of the tree over word ${tree.anchor} is not contiguous`;
    }
    if (positions[0] !== tree.first || positions[positions.length - 1] !== tree.last) {
      return `the tree over word ${tree.anchor} carries a wrong span`;
    }
    if (tree.first !== expected) {
      return `the tree over word ${tree.anchor} begins at word ${tree.first}, not at ${expected}`;
    }
    expected = tree.last + 1;
  }
  return expected === read + 1
    ? null
    : `the stack ends at word ${expected - 1}, but ${read} were read`;
}

/**
 * @param {Tree[]} nodes
 * @param {number} read
 * @returns {string | null}
 */
function anchorFault(nodes, read) {
  const counts = new Array(read + 1).fill(0);
  for (const { anchor } of nodes) {
    counts[anchor] += 1;
  }
  for (let position = 1; position <= read; position += 1) {
    if (counts[position] !== 1) {
      return `word ${position} anchors ${counts[position]} nodes`;
    }
  }
  return null;
}

/**
 * @param {Tree[]} nodes
 * @returns {string | null}
 */
function sideFault(nodes) {
  for (const { anchor, left, right } of nodes) {
    const places = [
      ...left.map((tree) => tree.anchor),
      anchor,
      ...right.map((tree) => tree.anchor),
    ];
    if (places.some((place, index) => index > 0 && place <= places[index - 1])) {
      return `the children of word ${anchor} stand at ${places.join(" ")}, out of order`;
    }
  }
  return null;
}

/**
 * @param {number} size
 * @param {readonly number[]} stack
 * @param {number} next
 * @param {readonly number[]} heads
 * @param {readonly Arc[]} arcs
 * @returns {Configuration}
 */
function frozen(size, stack, next, heads, arcs) {
  return Object.freeze({
    size,
    stack: Object.freeze(stack),
    next,
    heads: Object.freeze(heads),
    arcs: Object.freeze(arcs),
  });
}

/**
 * @template Item
 * @param {Item[]} agenda
 * @param {readonly Item[]} items
 */
function pushReversed(agenda, items) {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    agenda.push(items[index]);
  }
}

/**
 * @param {number} count
 * @param {string} noun
 */
function plural(count, noun) {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
