// @ts-check
/**
 * Elements of a page and of a picture, made by hand: text goes in as text and never as markup,
 * so that a word such as `<script>` is shown as it is.
 */

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** The fonts of the element; text is measured with the same ones. */
export const FONT_FAMILY =
  '"Helvetica Neue", Helvetica, Arial, "Noto Sans", "Noto Sans CJK SC", system-ui, sans-serif';
export const WORD_FONT = 17;
export const SMALL_FONT = 12.5;

/**
 * An HTML element with attributes and children. A string becomes a text node; null is left out.
 * @param {string} name
 * @param {Record<string, any>} [attributes] `class`, `aria-label`...; functions are listeners
 * @param {...(Node|string|null)} children
 * @returns {any}
 */
export function html(name, attributes = {}, ...children) {
  return fillElement(document.createElement(name), attributes, children);
}

/**
 * The same for a picture.
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string|null)} children
 * @returns {any}
 */
export function svg(name, attributes = {}, ...children) {
  return fillElement(document.createElementNS(SVG_NAMESPACE, name), attributes, children);
}

/**
 * Set attributes that changed; null takes one away.
 * @param {Element} element
 * @param {Record<string, any>} attributes
 */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      if (element.hasAttribute(name)) element.removeAttribute(name);
    } else if (element.getAttribute(name) !== String(value)) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/**
 * Set the text of an element if it is another one, so that nothing is laid out in vain.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @type {CanvasRenderingContext2D|null|undefined} */
let measuringContext;
/** @type {Map<string, number>} */
const measuredWidths = new Map();

/**
 * How wide a text is, in pixels, as the browser would draw it.
 * @param {string} text
 * @param {number} size
 * @param {string} [style] such as "italic" or "600"
 * @returns {number}
 */
export function textWidth(text, size, style = "") {
  const key = `${style}|${size}|${text}`;
  let width = measuredWidths.get(key);
  if (width === undefined) {
    if (measuringContext === undefined) {
      measuringContext = document.createElement("canvas").getContext("2d");
    }
    if (measuringContext) {
      measuringContext.font = `${style} ${size}px ${FONT_FAMILY}`;
      width = measuringContext.measureText(text).width;
    } else {
      width = text.length * size * 0.6;
    }
    if (measuredWidths.size > 20000) measuredWidths.clear();
    measuredWidths.set(key, width);
  }
  return width;
}

// As `visible` in arctree/draw/width.py, by which the words have been shown already.
const SPOILERS = /[\0-\x1f\x7f-\x9f\xad\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Cs}\p{Noncharacter_Code_Point}]/gu;

/**
 * A tag or a label with a sign for every character that could spoil a picture.
 * @param {string} text
 * @returns {string}
 */
export function visibleText(text) {
  return text.replace(SPOILERS, (character) => {
    if (character < " ") return String.fromCharCode(0x2400 + character.charCodeAt(0));
    const signs = { "\x7f": "␡", "\xad": "‐", "\u2028": "␤", "\u2029": "␤" };
    return signs[/** @type {keyof typeof signs} */ (character)] ?? "\ufffd";
  });
}

/**
 * A text cut to a width, with an ellipsis if anything is gone.
 * @param {string} text
 * @param {number} size
 * @param {number} most
 * @returns {string}
 */
export function shortenText(text, size, most) {
  if (textWidth(text, size) <= most) return text;
  const letters = [...text];
  let low = 1;
  let high = Math.min(letters.length - 1, 400);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(`${letters.slice(0, middle).join("")}…`, size) <= most) low = middle;
    else high = middle - 1;
  }
  return `${letters.slice(0, low).join("")}…`;
}

/**
 * @param {any} element
 * @param {Record<string, any>} attributes
 * @param {(Node|string|null)[]} children
 */
function fillElement(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}
