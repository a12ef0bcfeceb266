// @ts-check
/** Trees drawn at random, always the same ones, for the laws that the tests state. */

/**
 * Numbers from 0 up to 1, the same for the same seed: a linear congruential generator.
 * @param {number} seed
 * @returns {() => number}
 */
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * The heads of a projective tree: each stretch of words gets a head, at random.
 * @param {number} size
 * @param {() => number} random
 * @returns {number[]}
 */
export function projectiveHeads(size, random) {
  /** @type {number[]} */
  const heads = new Array(size).fill(0);
  const agenda = [[1, size, 0]];
  for (let item = agenda.pop(); item !== undefined; item = agenda.pop()) {
    const [first, last, head] = item;
    const word = first + Math.floor(random() * (last - first + 1));
    heads[word - 1] = head;
    for (const [start, end] of [
      ...pieces(first, word - 1, random),
      ...pieces(word + 1, last, random),
    ]) {
      agenda.push([start, end, word]);
    }
  }
  return heads;
}

/**
 * The heads of any tree, crossing arcs and all.
 * @param {number} size
 * @param {() => number} random
 * @returns {number[]}
 */
export function anyHeads(size, random) {
  const order = Array.from({ length: size }, (_, index) => index + 1);
  for (let index = size - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [order[index], order[other]] = [order[other], order[index]];
  }
  /** @type {number[]} */
  const heads = new Array(size).fill(0);
  order.forEach((word, index) => {
    heads[word - 1] = index === 0 ? 0 : order[Math.floor(random() * index)];
  });
  return heads;
}

/**
 * @param {readonly number[]} heads
 * @returns {[number, number][]}
 */
export function arcsOf(heads) {
  return heads.map((head, index) => [head, index + 1]);
}

/**
 * A stretch of words cut into pieces, one for each dependent.
 * @param {number} first
 * @param {number} last
 * @param {() => number} random
 * @returns {[number, number][]}
 */
function pieces(first, last, random) {
  /** @type {[number, number][]} */
  const found = [];
  let start = first;
  while (start <= last) {
    const end = start + Math.floor(random() * (last - start + 1));
    found.push([start, end]);
    start = end + 1;
  }
  return found;
}
