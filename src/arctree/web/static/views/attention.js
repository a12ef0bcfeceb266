// @ts-check
/**
 * What is looked at: which words something in the element is about, which of them the next
 * transition works on, and how they are kept in view.
 *
 * @typedef {import("../state.js").DerivationState} DerivationState
 */

/**
 * Scroll the pictures, if the words that matter now are out of sight.
 * @param {HTMLElement} scroller
 * @param {import("./columns.js").Columns} columns
 * @param {DerivationState} state
 * @param {boolean} isSmooth
 */
export function keepWordsInView(scroller, columns, state, isSmooth) {
  const width = scroller.clientWidth;
  if (columns.total <= width) return;
  const places = activePositions(state).map((position) => columns.x(position));
  const low = Math.min(...places) - 70;
  const high = Math.max(...places) + 70;
  const left = scroller.scrollLeft;
  if (low >= left && high <= left + width) return;
  const middle = high - low <= width ? (low + high) / 2 : places[0];
  const most = columns.total - width;
  scroller.scrollTo({
    left: Math.max(0, Math.min(most, middle - width / 2)),
    behavior: isSmooth ? "smooth" : "instant",
  });
}

/**
 * The words that matter now, the most important first.
 * @param {DerivationState} state
 */
function activePositions(state) {
  if (state.stage === "crossings") {
    const arc = state.exploration.crossings[state.place];
    return arc ? [arc.between[Math.floor(arc.between.length / 2)] ?? arc.head, arc.dependent, arc.head] : [1];
  }
  if (state.stage !== "derivation") {
    const move = state.lifting[state.stage][state.place];
    if (!move) return [1];
    const freed = state.stage === "lifts" ? move.from : move.to; // whose yield is marked
    return [freed, move.word, move.from, move.to].filter((position) => position > 0);
  }
  const { stack, next: unread } = state.configuration;
  const tops = stack.slice(-2).reverse();
  return unread <= state.size ? [...tops, unread] : tops;
}

/**
 * The words that something in the element is about.
 * @param {any} target
 * @returns {number[]}
 */
export function positionsOf(target) {
  const item = target?.closest?.("[data-position]");
  if (!item) return [];
  return ["data-position", "data-other"]
    .map((name) => Number(item.getAttribute(name)))
    .filter((position) => position > 0);
}

/** Whether the reader wants no motion. */
export function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
