// @ts-check
/**
 * Two analyses of one sentence: the arcs and labels in which they differ, and the first
 * transition where their derivations part.
 *
 * @typedef {object} Analysis  what is looked at of an exploration
 * @property {readonly {form: string}[]} words
 * @property {readonly number[]} heads
 * @property {readonly string[]} labels
 * @property {string} transitions
 */

/**
 * @param {Analysis} a
 * @param {Analysis} b
 * @returns {{arcs: number[], labels: number[], parts: number | null}}  the positions whose head
 *   differs, those whose label differs, and the index of the first action that differs
 */
export function compare(a, b) {
  checkSameWords(a.words, b.words);
  return {
    arcs: positionsThatDiffer(a.heads, b.heads),
    labels: positionsThatDiffer(a.labels, b.labels),
    parts: firstDifference(a.transitions, b.transitions),
  };
}

/**
 * @param {readonly {form: string}[]} ours
 * @param {readonly {form: string}[]} theirs
 */
function checkSameWords(ours, theirs) {
  if (ours.length !== theirs.length) {
    throw new Error(
      `The two analyses are of different sentences: one has ${ours.length} words, the other ${theirs.length}.`,
    );
  }
  ours.forEach(({ form }, index) => {
    if (form !== theirs[index].form) {
      throw new Error(
        `The two analyses are of different sentences: word ${index + 1} is “${form}” in one, ` +
          `“${theirs[index].form}” in the other.`,
      );
    }
  });
}

/**
 * @template Value
 * @param {readonly Value[]} ours
 * @param {readonly Value[]} theirs
 * @returns {number[]}
 */
function positionsThatDiffer(ours, theirs) {
  const positions = [];
  for (let index = 0; index < ours.length; index += 1) {
    if (ours[index] !== theirs[index]) {
      positions.push(index + 1);
    }
  }
  return positions;
}

/**
 * @param {string} ours
 * @param {string} theirs
 * @returns {number | null}
 */
function firstDifference(ours, theirs) {
  const most = Math.max(ours.length, theirs.length);
  for (let index = 0; index < most; index += 1) {
    if (ours[index] !== theirs[index]) {
      return index;
    }
  }
  return null;
}
