// @ts-check
/**
 * Derivations of a tree: the canonical one, how many there are, and each by its rank. What
 * `arctree.oracle` is in Python, in the same order.
 *
 * A head may take its left and its right dependents in any interleaving, each side from the
 * inside out, and nothing else is free. So a tree has ∏ C(l + r, l) derivations, over all
 * heads with l dependents on the left and r on the right. The canonical one attaches whenever
 * it can, and has rank 0; at each choice those that attach come before those that shift.
 *
 * Counting completions. Let a head on top of the stack still miss x left and y right
 * dependents: it has C(x + y, x) ways to go on. LEFTARC leaves C(x - 1 + y, x - 1) of them,
 * the share x / (x + y). SHIFT promises that the next dependent it takes is one on the right,
 * and leaves C(x + y - 1, x), the share y / (x + y); RIGHTARC keeps that promise later, and
 * changes no number. All other words have their ways as before. So one number, multiplied
 * and divided exactly, follows a derivation from beginning to end.
 *
 * Heads are given word by word, word p's at index p - 1; 0 is the root.
 *
 * @typedef {import("./transitions.js").Configuration} Configuration
 * @typedef {import("./transitions.js").Action} Action
 */

/**
 * The actions after which the tree can still be reached, the canonical one first. There are
 * none at the end, nor once the tree is out of reach.
 * @param {Configuration} configuration
 * @param {readonly number[]} heads
 * @returns {Action[]}
 */
export function choices(configuration, heads) {
  const state = stateOf(configuration, heads);
  if (state === null || isDone(state)) {
    return [];
  }
  const found = openActions(state);
  return finish(state) === null ? [] : found;
}

/**
 * The derivation that attaches as soon as possible.
 * @param {readonly number[]} heads
 * @returns {string}
 */
export function canonical(heads) {
  checkProjective(heads);
  return /** @type {string} */ (finish(initialState(heads)));
}

/**
 * How many derivations a tree has: ∏ C(l + r, l); none if it is not projective.
 * @param {readonly number[]} heads
 * @returns {bigint}
 */
export function count(heads) {
  return isProjective(heads) ? product(initialState(heads)) : 0n;
}

/**
 * The index of the first action after which the tree cannot be reached; null if there is none.
 * @param {readonly number[]} heads
 * @param {string} actions
 * @returns {number | null}
 */
export function leaves(heads, actions) {
  checkProjective(heads);
  return follow(heads, actions).left;
}

/**
 * A prefix of a derivation, and how the canonical one goes on from it.
 * @param {readonly number[]} heads
 * @param {string} prefix
 * @returns {string}
 */
export function complete(heads, prefix) {
  checkProjective(heads);
  const { state, left } = follow(heads, prefix);
  const rest = left === null ? finish(state) : null;
  if (rest === null) {
    throw new Error(`the tree cannot be reached after action ${(left ?? 0) + 1}`);
  }
  return prefix + rest;
}

/**
 * How many derivations of the tree come before this one.
 * @param {readonly number[]} heads
 * @param {string} actions
 * @returns {bigint}
 */
export function rank(heads, actions) {
  checkProjective(heads);
  const { state, left, before } = follow(heads, actions);
  if (left !== null || !isDone(state)) {
    throw new Error("these actions are no derivation of the tree");
  }
  return before;
}

/**
 * The derivation of this rank.
 * @param {readonly number[]} heads
 * @param {bigint} wanted
 * @returns {string}
 */
export function nth(heads, wanted) {
  checkProjective(heads);
  const total = count(heads);
  if (wanted < 0n || wanted >= total) {
    throw new Error(`there is no derivation ${wanted}: the ranks go from 0 to ${total - 1n}`);
  }
  const state = initialState(heads);
  let ways = total;
  let remaining = BigInt(wanted);
  let actions = "";
  while (!isDone(state)) {
    const open = openActions(state);
    let action = open[0];
    if (open.length === 2) {
      const attaching = waysAfterAttaching(state, ways);
      if (remaining < attaching) {
        ways = attaching;
      } else {
        remaining -= attaching;
        ways -= attaching;
        action = "S";
      }
    }
    take(state, action);
    actions += action;
  }
  return actions;
}

/**
 * The derivation after this one; null after the last.
 * @param {readonly number[]} heads
 * @param {string} actions
 * @returns {string | null}
 */
export function next(heads, actions) {
  const wanted = rank(heads, actions) + 1n;
  return wanted < count(heads) ? nth(heads, wanted) : null;
}

/**
 * The derivation before this one; null before the canonical one.
 * @param {readonly number[]} heads
 * @param {string} actions
 * @returns {string | null}
 */
export function previous(heads, actions) {
  const wanted = rank(heads, actions) - 1n;
  return wanted >= 0n ? nth(heads, wanted) : null;
}

/**
 * Whether the heads are a projective tree: whether the canonical derivation reaches its end.
 * @param {readonly number[]} heads
 */
function isProjective(heads) {
  return finish(initialState(heads)) !== null;
}

/** @param {readonly number[]} heads */
function checkProjective(heads) {
  if (!isProjective(heads)) {
    throw new Error("the tree is not projective: no derivation leads to it");
  }
}

/**
 * A configuration on the way to a tree, changed in place: with what each word still misses.
 * @typedef {object} State
 * @property {readonly number[]} heads
 * @property {number[]} lastDependents  of each position; 0 where there is none
 * @property {number[]} missingLeft
 * @property {number[]} missingRight
 * @property {number[]} stack
 * @property {number} next
 */

/**
 * @param {readonly number[]} heads
 * @returns {State}
 */
function initialState(heads) {
  const zeros = () => new Array(heads.length + 1).fill(0);
  const state = {
    heads,
    lastDependents: zeros(),
    missingLeft: zeros(),
    missingRight: zeros(),
    stack: [0],
    next: 1,
  };
  heads.forEach((head, index) => {
    state.lastDependents[head] = index + 1;
    (index + 1 < head ? state.missingLeft : state.missingRight)[head] += 1;
  });
  return state;
}

/**
 * The state of a configuration; null if it has an arc that the tree has not.
 * @param {Configuration} configuration
 * @param {readonly number[]} heads
 * @returns {State | null}
 */
function stateOf(configuration, heads) {
  if (configuration.size !== heads.length) {
    throw new Error(`${heads.length} heads for ${configuration.size} words`);
  }
  const state = initialState(heads);
  state.stack = configuration.stack.slice();
  state.next = configuration.next;
  for (const [head, dependent] of configuration.arcs) {
    if (heads[dependent - 1] !== head) {
      return null;
    }
    note(state, head, dependent);
  }
  return state;
}

/**
 * What lies below the top of the stack can get no more dependents but the top itself. So a
 * word must have its left dependents before anything is shifted onto it, unless some of its
 * right dependents are still to come: that is the only choice there is.
 * @param {State} state
 * @returns {Action[]}
 */
function openActions({ heads, lastDependents, stack, next: unread }) {
  const top = stack[stack.length - 1];
  const second = stack.length > 1 ? stack[stack.length - 2] : -1;
  const isWaiting = lastDependents[top] >= unread;
  if (second > 0 && heads[second - 1] === top) {
    return isWaiting ? ["L", "S"] : ["L"];
  }
  return top > 0 && heads[top - 1] === second && !isWaiting ? ["R"] : ["S"];
}

/**
 * @param {State} state
 * @param {string} action
 */
function take(state, action) {
  const { stack } = state;
  if (action === "S") {
    stack.push(state.next);
    state.next += 1;
    return;
  }
  const top = /** @type {number} */ (stack.pop());
  const second = /** @type {number} */ (stack.pop());
  const [head, dependent] = action === "L" ? [top, second] : [second, top];
  note(state, head, dependent);
  stack.push(head);
}

/**
 * @param {State} state
 * @param {number} head
 * @param {number} dependent
 */
function note(state, head, dependent) {
  (dependent < head ? state.missingLeft : state.missingRight)[head] -= 1;
}

/** @param {State} state */
function isDone({ stack, next: unread, heads }) {
  return stack.length === 1 && unread > heads.length;
}

/**
 * Whether an action is legal: as `obstacle` says, for a state.
 * @param {State} state
 * @param {string} action
 */
function isLegal({ stack, next: unread, heads }, action) {
  const hasBuffer = unread <= heads.length;
  return action === "S"
    ? hasBuffer
    : stack.length > 2 || (action === "R" && stack.length === 2 && !hasBuffer);
}

/**
 * Go on to the end as the canonical derivation does. Every arc is one of the tree, so the end
 * is the tree; null if there is no way on.
 * @param {State} state
 * @returns {string | null}
 */
function finish(state) {
  let actions = "";
  while (!isDone(state)) {
    const [action] = openActions(state);
    if (!isLegal(state, action)) {
      return null;
    }
    take(state, action);
    actions += action;
  }
  return actions;
}

/**
 * Follow actions as long as the tree can be reached, and count the derivations that are left
 * behind because they come before.
 * @param {readonly number[]} heads
 * @param {string} actions
 * @returns {{state: State, left: number | null, before: bigint}}
 */
function follow(heads, actions) {
  const state = initialState(heads);
  let ways = product(state);
  let before = 0n;
  for (let index = 0; index < actions.length; index += 1) {
    const open = isDone(state) ? [] : openActions(state);
    const action = /** @type {Action} */ (actions[index]);
    if (!open.includes(action)) {
      return { state, left: index, before };
    }
    if (open.length === 2) {
      const attaching = waysAfterAttaching(state, ways);
      before += action === "S" ? attaching : 0n;
      ways = action === "S" ? ways - attaching : attaching;
    }
    take(state, action);
  }
  return { state, left: null, before };
}

/**
 * How many of the ways to go on begin with LEFTARC: the share x / (x + y).
 * @param {State} state
 * @param {bigint} ways
 */
function waysAfterAttaching({ missingLeft, missingRight, stack }, ways) {
  const top = stack[stack.length - 1];
  return (ways * BigInt(missingLeft[top])) / BigInt(missingLeft[top] + missingRight[top]);
}

/**
 * ∏ C(l + r, l) over all heads.
 * @param {State} state
 */
function product({ missingLeft, missingRight }) {
  let ways = 1n;
  missingLeft.forEach((left, head) => {
    for (let taken = 1; taken <= left; taken += 1) {
      ways = (ways * BigInt(missingRight[head] + taken)) / BigInt(taken);
    }
  });
  return ways;
}
