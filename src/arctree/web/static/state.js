// @ts-check
/**
 * One moment of one derivation: what all views are views of.
 *
 * The derivation shown is always a whole one. A *what-if* takes another action at some step
 * and goes on from there: canonically as long as the tree can be reached, and otherwise with
 * the least further loss. A tree that is not projective has a journey around its
 * derivation: its crossing arcs, each lift, the derivation of the lifted tree, each return.
 *
 * @typedef {import("./transitions.js").Configuration} Configuration
 * @typedef {import("./transitions.js").Action} Action
 * @typedef {import("./transitions.js").Arc} Arc
 * @typedef {"crossings" | "lifts" | "derivation" | "returns"} Stage
 * @typedef {{actions: string, step: number, taken: number}} Moment
 */
import { ACTIONS, apply, arcOf, initial, isTerminal, obstacle } from "./transitions.js";
import { canonical, choices, complete, leaves, next, previous } from "./oracle.js";
import { bestCompletion } from "./reach.js";

/** @type {readonly Stage[]} */
export const STAGES = Object.freeze(["crossings", "lifts", "derivation", "returns"]);

export class DerivationState {
  /**
   * @param {any} exploration the exploration JSON
   * @param {string|null} [model] what the model is called whose opinion is shown
   */
  constructor(exploration, model = null) {
    this.model = model;
    /** @type {Set<number>} the words whose arcs stand out */
    this.marked = new Set();
    this.exploration = exploration;
    /** @type {{form: string, tag: string, shown?: string}[]} */
    this.words = exploration.words;
    this.size = this.words.length;
    this.lifting = exploration.lifting ?? null;
    /** The heads and labels of the tree that is derived: the lifted one, if there is one. */
    this.heads = this.lifting ? this.lifting.heads : exploration.heads;
    /** @type {string[]} */
    this.labels = (this.lifting ?? exploration).labels.map((/** @type {string|null} */ label) => label ?? "");
    this.gold = exploration.transitions || canonical(this.heads);
    /** @type {Configuration[]} */
    this.configurations = [initial(this.size)];
    this.actions = "";
    this.step = 0;
    /** How many of the actions were taken by hand; what comes after them is a continuation. */
    this.taken = 0;
    /** @type {number|null} */
    this.left = null;
    /** @type {Stage} */
    this.stage = this.lifting ? "crossings" : "derivation";
    this.place = 0;
    /** @type {number|null} */
    this.focused = null;
    /** @type {Moment[]} */
    this.past = [];
    /** @type {Moment[]} */
    this.future = [];
    /** @type {{actions: string, rows: number[][]}|null} */
    this.scored = null;
    /** @type {WeakMap<Configuration, Map<string, {cost: number, loses: Arc[]}>>} what actions lose */
    this.known = new WeakMap();
    /** @type {WeakMap<Configuration, number>} */
    this.losses = new WeakMap();
    this.show(this.gold, 0);
  }

  /** @returns {Configuration} */
  get configuration() {
    return this.configurations[this.step];
  }

  /** The number of the last step. */
  get last() {
    return this.actions.length;
  }

  get isGold() {
    return this.actions === this.gold;
  }

  /** Whether the tree is out of reach at the present step. */
  get hasLeft() {
    return this.left !== null && this.left < this.step;
  }

  /**
   * Show a derivation; one that breaks off is continued. An Error says why it is none.
   * @param {string} actions
   * @param {number} step
   * @param {number} [taken]
   */
  show(actions, step, taken = 0) {
    const shared = sharedPrefix(this.actions, actions);
    const configurations = this.configurations.slice(0, shared + 1);
    for (const action of actions.slice(shared)) {
      configurations.push(apply(configurations[configurations.length - 1], action));
    }
    let whole = actions;
    const left = leaves(this.heads, actions);
    if (!isTerminal(configurations[configurations.length - 1])) {
      const last = configurations[configurations.length - 1];
      whole = left === null ? complete(this.heads, actions) : actions + bestCompletion(last, this.heads).actions;
      for (const action of whole.slice(actions.length)) {
        configurations.push(apply(configurations[configurations.length - 1], action));
      }
    }
    this.configurations = configurations;
    this.actions = whole;
    this.left = left;
    this.taken = taken;
    this.step = Math.max(0, Math.min(Math.trunc(step) || 0, whole.length));
  }

  /**
   * Take an action here. What is shown after it stays, if this is what came next anyway.
   * @param {string} action
   * @returns {string|null} why it is not legal
   */
  act(action) {
    if (this.stage !== "derivation") this.stage = "derivation";
    const reason = this.obstacleTo(action);
    if (reason !== null) return reason;
    this.remember();
    const step = this.step + 1;
    if (this.actions[this.step] === action) {
      this.step = step;
      if (this.taken > 0) this.taken = Math.max(this.taken, step);
    } else {
      this.show(this.actions.slice(0, this.step) + action, step, step);
    }
    return null;
  }

  /** The other derivation of the same tree before (-1) or after (1) this one. */
  alternative(/** @type {number} */ direction) {
    const from = this.left === null ? this.actions : this.gold;
    const other = (direction < 0 ? previous : next)(this.heads, from);
    if (other === null) return false;
    this.remember();
    this.show(other, Math.min(this.step, sharedPrefix(from, other)));
    return true;
  }

  /** Back to the derivation of the exploration, at the step where this one parted from it. */
  backToGold() {
    if (this.isGold) return false;
    this.remember();
    this.show(this.gold, Math.min(this.step, sharedPrefix(this.actions, this.gold)));
    return true;
  }

  remember() {
    this.past.push({ actions: this.actions, step: this.step, taken: this.taken });
    if (this.past.length > 1000) this.past.shift();
    this.future = [];
  }

  undo() {
    return this.recall(this.past, this.future);
  }

  redo() {
    return this.recall(this.future, this.past);
  }

  /**
   * @param {Moment[]} source
   * @param {Moment[]} target
   */
  recall(source, target) {
    const moment = source.pop();
    if (moment === undefined) return false;
    target.push({ actions: this.actions, step: this.step, taken: this.taken });
    this.show(moment.actions, moment.step, moment.taken);
    this.stage = "derivation";
    return true;
  }

  // ---- the journey of a tree that is not projective ----

  /** How many places the present stage has. */
  get length() {
    if (this.stage === "derivation") return this.last + 1;
    if (this.stage === "crossings") return Math.max(1, this.exploration.crossings.length);
    return Math.max(1, this.lifting[this.stage].length);
  }

  get position() {
    return this.stage === "derivation" ? this.step : this.place;
  }

  set position(value) {
    const position = Math.max(0, Math.min(this.length - 1, Math.trunc(value) || 0));
    if (this.stage === "derivation") this.step = position;
    else this.place = position;
  }

  /** One place on (1) or back (-1), over the border of a stage if there is another stage. */
  move(/** @type {number} */ direction) {
    const position = this.position + direction;
    if (position >= 0 && position < this.length) {
      this.position = position;
      return true;
    }
    const stage = this.lifting ? STAGES[STAGES.indexOf(this.stage) + direction] : undefined;
    if (stage === undefined) return false;
    this.stage = stage;
    this.position = direction > 0 ? 0 : this.length - 1;
    return true;
  }

  /**
   * Heads and labels after so many lifts, or returns.
   * @param {"lifts"|"returns"} stage
   * @param {number} done
   */
  treeAfter(stage, done) {
    const { heads, labels } = this.exploration;
    const start = stage === "lifts" ? { heads, labels } : this.lifting;
    const end = stage === "lifts" ? this.lifting : { heads, labels };
    const tree = { heads: [...start.heads], labels: [...start.labels] };
    for (const move of this.lifting[stage].slice(0, done)) {
      tree.heads[move.word - 1] = move.to;
      tree.labels[move.word - 1] = end.labels[move.word - 1];
    }
    return tree;
  }

  // ---- what can be done here ----

  /**
   * Why an action is not legal at the present step; null if it is.
   * @param {string} action
   */
  obstacleTo(action) {
    return isTerminal(this.configuration) ? "the derivation is done" : obstacle(this.configuration, action);
  }

  /** What each of the three actions would be at the present step. */
  options() {
    const configuration = this.configuration;
    const keeping = this.hasLeft ? [] : choices(configuration, this.heads);
    const scores = this.scoresAt(this.step);
    return ACTIONS.map((action, index) => {
      const reason = this.obstacleTo(action);
      const keeps = keeping.includes(action);
      return {
        action,
        obstacle: reason,
        arc: reason === null ? arcOf(configuration, action) : null,
        isOracle: keeping[0] === action,
        keeps,
        ...(reason === null && !keeps ? this.lossBy(action) : { cost: 0, loses: [] }),
        isNext: this.actions[this.step] === action,
        probability: scores === null || isTerminal(configuration) ? null : scores[index],
      };
    });
  }

  /**
   * The arcs of the tree that cannot be had any more at the present step: their dependent has
   * another head, or their head is attached and takes no more dependents.
   * @returns {Arc[]}
   */
  lostArcs() {
    return this.hasLeft ? impossibleArcs(this.configuration, this.heads) : [];
  }

  /** How many arcs of the tree every completion of the present step misses. */
  get loss() {
    return this.hasLeft ? this.lossAt(this.configuration) : 0;
  }

  /**
   * What an action puts out of reach: how many arcs more, and which of them.
   * @param {Action} action
   * @returns {{cost: number, loses: Arc[]}}
   */
  lossBy(action) {
    const known = this.known.get(this.configuration)?.get(action);
    if (known) return known;
    const after = apply(this.configuration, action);
    const cost = this.lossAt(after) - this.loss;
    const found = { cost, loses: cost > 0 ? lostBy(this.configuration, after, action, this.heads) : [] };
    const all = this.known.get(this.configuration) ?? new Map();
    this.known.set(this.configuration, all.set(action, found));
    return found;
  }

  /** @param {Configuration} configuration */
  lossAt(configuration) {
    const found = this.losses.get(configuration) ?? this.size - bestCompletion(configuration, this.heads).kept;
    this.losses.set(configuration, found);
    return found;
  }

  /** The arcs of the tree that the derivation shown does not come to. */
  missedArcs() {
    const { heads } = this.configurations[this.last];
    return goldArcs(this.heads).filter(([head, dependent]) => heads[dependent - 1] !== head);
  }

  /**
   * The model's probabilities of S, L and R at a step of the derivation shown; null if unknown.
   * @param {number} step
   * @returns {number[]|null}
   */
  scoresAt(step) {
    if (this.model === null) return null;
    const prefix = this.actions.slice(0, step);
    for (const known of [this.scored, this.shippedScores()]) {
      if (known && step < known.rows.length && known.actions.startsWith(prefix)) {
        return known.rows[step];
      }
    }
    return null;
  }

  shippedScores() {
    const { model } = this.exploration;
    return model ? { actions: this.gold, rows: model.probabilities } : null;
  }

  /**
   * Whether the model's best action at a step leads away from the tree.
   * @param {number} step
   */
  modelLeaves(step) {
    if ((this.left !== null && this.left < step) || step >= this.last) return false;
    const scores = this.scoresAt(step);
    if (scores === null) return false;
    const best = ACTIONS[scores.indexOf(Math.max(...scores))];
    return !choices(this.configurations[step], this.heads).includes(best);
  }
}

/**
 * How many actions two derivations have in common from the start.
 * @param {string} one
 * @param {string} other
 */
export function sharedPrefix(one, other) {
  const most = Math.min(one.length, other.length);
  let index = 0;
  while (index < most && one[index] === other[index]) index += 1;
  return index;
}

/**
 * The arcs of a tree, in the order of the dependents.
 * @param {readonly number[]} heads
 * @returns {Arc[]}
 */
export function goldArcs(heads) {
  return heads.map((head, index) => /** @type {Arc} */ ([head, index + 1]));
}

/**
 * @param {Configuration} configuration
 * @param {readonly number[]} heads
 * @returns {Arc[]}
 */
function impossibleArcs(configuration, heads) {
  return goldArcs(heads).filter(([head, dependent]) => {
    const found = configuration.heads[dependent - 1];
    if (found !== -1) return found !== head;
    return head !== 0 && configuration.heads[head - 1] !== -1;
  });
}

/**
 * The arcs that an action puts out of reach. A SHIFT forbids no single arc; but what it buries
 * can only be had at the cost of another arc.
 * @param {Configuration} configuration
 * @param {Configuration} changed
 * @param {Action} action
 * @param {readonly number[]} heads
 * @returns {Arc[]}
 */
function lostBy(configuration, changed, action, heads) {
  const before = new Set(impossibleArcs(configuration, heads).map(([, dependent]) => dependent));
  const after = impossibleArcs(changed, heads);
  const lost = after.filter(([, dependent]) => !before.has(dependent));
  if (lost.length > 0 || action !== "S") return lost;
  const { stack } = configuration;
  const top = stack[stack.length - 1];
  const second = stack[stack.length - 2];
  if (second > 0 && heads[second - 1] === top) return [[top, second]];
  if (top > 0 && heads[top - 1] === second) return [[second, top]];
  return [];
}

/**
 * For each word, whether its arc is projective: whether all words between its head and itself
 * are below its head.
 * @param {readonly number[]} heads
 * @returns {boolean[]}
 */
export function projectiveArcs(heads) {
  const isBelow = (/** @type {number} */ word, /** @type {number} */ ancestor) => {
    let place = word;
    while (place > 0 && place !== ancestor) place = heads[place - 1];
    return place === ancestor;
  };
  return heads.map((head, index) => {
    const low = Math.min(head, index + 1);
    const high = Math.max(head, index + 1);
    for (let word = low + 1; word < high; word += 1) {
      if (!isBelow(word, head)) return false;
    }
    return true;
  });
}
