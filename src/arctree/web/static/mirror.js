// @ts-check
// Two trees over one sentence: the arcs of the first above the words, those of the second below
// them, as in a mirror. What they share lies face to face and stays quiet; what differs stands
// out on its side, by colour, by weight, and below by dashes.

import { placeArcs, placeWords } from "./layout.js";
import { svg, textWidth, visibleText } from "./svg.js";

const MIRROR_WORD = 15;
const MIRROR_SMALL = 12;
const MIRROR_LEVEL = 22;
const MIRROR_EDGE = 14;
const MIRROR_TIP = 7;

/**
 * @param {{title: string, exploration: any}} one
 * @param {{title: string, exploration: any}} other
 * @param {{arcs: number[], labels: number[]}} difference
 * @returns {SVGSVGElement}
 */
export function mirroredArcs(one, other, difference) {
  const { words, rtl } = one.exploration;
  const forms = words.map(({ shown, form }) => shown ?? form);
  const places = placesFor(forms, one.exploration, other.exploration, rtl);
  const differs = new Set([...difference.arcs, ...difference.labels]);
  const sides = [one, other].map(({ exploration }) => placeArcs(arcsOf(exploration), places));
  const heights = sides.map((arcs) => (Math.max(...arcs.map(({ level }) => level)) + 0.4) * MIRROR_LEVEL);
  const above = MIRROR_EDGE + heights[0];
  const below = above + MIRROR_WORD * 2;
  const height = below + heights[1] + MIRROR_EDGE;
  const width = places.total + 2 * MIRROR_EDGE;
  const name = `${one.title} above, ${other.title} below; ${differs.size} of ${words.length} words differ`;
  const picture = svg("svg", { class: "mirror", role: "img", "aria-label": name, width, height });
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const moved = svg("g", { transform: `translate(${MIRROR_EDGE} 0)` });
  moved.append(
    ...sideOfMirror(sides[0], one.exploration.labels, differs, { side: "first", foot: above, up: -1 }),
    ...sideOfMirror(sides[1], other.exploration.labels, differs, { side: "second", foot: below, up: 1 }),
    ...forms.map((form, index) =>
      svg("text", { x: places.centres[index], y: above + MIRROR_WORD * 1.35, direction: rtl ? "rtl" : null }, form),
    ),
  );
  picture.append(moved);
  return picture;
}

function arcsOf({ heads }) {
  return heads.map((head, index) => [head, index + 1]);
}

/** Places of the words that suit both trees. */
function placesFor(forms, one, other, rtl) {
  const widths = forms.map((form) => textWidth(form, MIRROR_WORD) + 4);
  const labelWidths = forms.map((_, index) =>
    Math.max(...[one, other].map(({ labels }) => textWidth(labels[index], MIRROR_SMALL, "700") + 22)),
  );
  const arcs = arcsOf(one);
  const more = arcsOf(other).filter(([head], index) => head !== one.heads[index]);
  return placeWords(widths, { gap: 14, slot: 7, rtl, arcs: [...arcs, ...more], labelWidths });
}

/** Lines first and labels after them, so that nothing runs through a label. */
function sideOfMirror(arcs, labels, differs, { side, foot, up }) {
  const kind = ({ dependent }) => `${side} ${differs.has(dependent) ? "differs" : "same"}`;
  // What stands out is drawn last, above the rest.
  const ordered = arcs.toSorted((a, b) => Number(differs.has(a.dependent)) - Number(differs.has(b.dependent)));
  const lines = ordered.map((arc) => {
    const level = foot + up * arc.level * MIRROR_LEVEL;
    const straight = `M${arc.to} ${level}V${foot + up * MIRROR_TIP}`;
    return svg(
      "g",
      { class: kind(arc) },
      svg("path", { d: arc.head === 0 ? straight : bowed(arc, foot, level, up) }),
      svg("path", { class: "tip", d: `M${arc.to} ${foot}l-3.5 ${up * MIRROR_TIP}h7z` }),
    );
  });
  const captions = ordered.map((arc) => {
    const label = visibleText(labels[arc.dependent - 1]);
    const size = textWidth(label, MIRROR_SMALL, "700") + 6;
    const middle = (arc.from + arc.to) / 2;
    const level = foot + up * arc.level * MIRROR_LEVEL;
    return svg(
      "g",
      { class: kind(arc) },
      svg("rect", { class: "back", x: middle - size / 2, y: level - 7, width: size, height: 14 }),
      svg("text", { class: "label", x: middle, y: level + 4 }, label),
    );
  });
  return [...lines, ...captions];
}

/** From the head out to the level, across, and back to the dependent. */
function bowed({ from, to }, foot, level, up) {
  const turn = Math.min(9, Math.abs(to - from) / 2);
  const step = to > from ? turn : -turn;
  const bend = level - up * turn;
  return (
    `M${from} ${foot + up}V${bend}Q${from} ${level} ${from + step} ${level}` +
    `H${to - step}Q${to} ${level} ${to} ${bend}V${foot + up * MIRROR_TIP}`
  );
}
