// @ts-check
// A picture of a part of the page, as a file that stands alone. Whatever is drawn there, SVG or
// boxes and text, becomes SVG with its looks written out as attributes: a bare viewer, which
// knows neither our style sheets nor our variables, shows the same. A picture is on light
// ground, whatever the reader's scheme, since it goes into papers and slides.

import { visible } from "./formats.js";

const SVG_SPACE = "http://www.w3.org/2000/svg";

/** Looks that are attributes of SVG too, and what a viewer takes when they are not there. */
const PICTURE_LOOKS = {
  fill: "rgb(0, 0, 0)",
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-opacity": "1",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  opacity: "1",
  "font-family": "",
  "font-size": "",
  "font-weight": "400",
  "font-style": "normal",
  "letter-spacing": "normal",
  "text-anchor": "start",
  "dominant-baseline": "auto",
  direction: "ltr",
  "unicode-bidi": "normal",
  "paint-order": "normal",
  "text-decoration-line": "none",
};
const TEXT_LOOKS = new Set(["font-family", "font-size"]);
const PICTURE_MARGIN = 16;
/** Characters that a page may hold and an XML file may not. */
const NO_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/**
 * The part of the page as a stand-alone SVG file.
 * @param {Element} part
 * @param {string} title
 * @returns {{text: string, width: number, height: number}}
 */
export function pictureOf(part, title) {
  return inLightScheme(part, () => {
    const sheet = new PictureSheet(part.getBoundingClientRect());
    sheet.drawAll(part);
    return sheet.finish(title);
  });
}

/**
 * Whether there is anything to draw: the buffer, say, may be empty.
 * @param {Element} part
 * @returns {boolean}
 */
export function isDrawable(part) {
  const shapes = [...part.querySelectorAll(DRAWN_NAMES)];
  if (shapes.length === 0) return part.textContent?.trim() !== "";
  return shapes.some((shape) => isInked(shape) && shape.getBoundingClientRect().height > 0);
}

/**
 * A picture as PNG, at twice its size.
 * @param {{text: string, width: number, height: number}} picture
 * @returns {Promise<Blob>}
 */
export async function pictureAsPng(picture) {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([picture.text], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    // A canvas has limits: a very long sentence is drawn at a smaller scale.
    const scale = Math.min(2, 16_000 / picture.width, 16_000 / picture.height);
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(picture.width * scale);
    canvas.height = Math.ceil(picture.height * scale);
    const pen = canvas.getContext("2d");
    if (pen === null) throw new Error("this browser cannot draw the picture");
    pen.fillStyle = "#ffffff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
    if (blob === null) throw new Error("this browser cannot make a PNG file of that size");
    return blob;
  } finally {
    URL.revokeObjectURL(address);
  }
}

class PictureSheet {
  constructor(origin) {
    this.origin = origin;
    this.svg = document.createElementNS(SVG_SPACE, "svg");
    this.left = this.top = Infinity;
    this.right = this.bottom = -Infinity;
  }

  /** Draw the part and everything in it, in the order of the document. */
  drawAll(part) {
    const waiting = [part];
    while (waiting.length > 0) {
      const node = waiting.pop();
      if (node.nodeType === Node.TEXT_NODE) {
        this.drawText(node);
      } else if (node instanceof SVGSVGElement) {
        if (isSeen(node)) this.drawSvg(node);
      } else if (node instanceof Element && isSeen(node)) {
        this.drawBox(node);
        const inside = node.shadowRoot ?? node;
        waiting.push(...[...inside.childNodes].reverse());
      }
    }
  }

  drawSvg(svg) {
    const place = svg.getBoundingClientRect();
    const copy = styledCopy(svg);
    copy.setAttribute("x", tidyNumber(place.left - this.origin.left));
    copy.setAttribute("y", tidyNumber(place.top - this.origin.top));
    copy.setAttribute("width", tidyNumber(place.width));
    copy.setAttribute("height", tidyNumber(place.height));
    if (getComputedStyle(svg).overflow === "visible") copy.setAttribute("overflow", "visible");
    this.svg.append(copy);
    // Only as far as something is drawn: a view keeps room for what is still to come.
    for (const shape of svg.querySelectorAll(DRAWN_NAMES)) {
      if (isInked(shape)) this.cover(shape.getBoundingClientRect());
    }
  }

  drawBox(element) {
    const style = getComputedStyle(element);
    const place = element.getBoundingClientRect();
    const border = parseFloat(style.borderTopWidth) || 0;
    const isFramed = border > 0 && style.borderTopStyle !== "none" && parseFloat(style.borderLeftWidth) > 0;
    // The white of a table's cells is the paper's.
    const isWhite = style.backgroundColor === "rgb(255, 255, 255)";
    const isPaper = isWhite && /^(table|thead|tbody|tr|th|td)$/.test(element.localName);
    if ((isPainted(style.backgroundColor) && !isPaper) || isFramed) {
      const box = this.rectangle(place, style.backgroundColor);
      const radius = Math.min(parseFloat(style.borderTopLeftRadius) || 0, place.height / 2);
      if (radius > 0) box.setAttribute("rx", tidyNumber(radius));
      if (isFramed && isPainted(style.borderTopColor)) {
        box.setAttribute("stroke", style.borderTopColor);
        box.setAttribute("stroke-width", tidyNumber(border));
        if (style.borderTopStyle === "dashed") box.setAttribute("stroke-dasharray", "4 3");
      }
      this.cover(place);
    } else {
      this.drawRules(style, place);
    }
  }

  /** Lines above and below, as tables have them. */
  drawRules(style, place) {
    for (const [side, y] of [["Top", place.top], ["Bottom", place.bottom]]) {
      const width = parseFloat(style[`border${side}Width`]);
      if (width > 0 && style[`border${side}Style`] !== "none" && isPainted(style[`border${side}Color`])) {
        const up = side === "Bottom" ? width : 0;
        const line = { left: place.left, top: y - up, width: place.width, height: width };
        this.rectangle(line, style[`border${side}Color`]);
      }
    }
  }

  rectangle(place, colour) {
    const box = document.createElementNS(SVG_SPACE, "rect");
    box.setAttribute("x", tidyNumber(place.left - this.origin.left));
    box.setAttribute("y", tidyNumber(place.top - this.origin.top));
    box.setAttribute("width", tidyNumber(place.width));
    box.setAttribute("height", tidyNumber(place.height));
    writePaint(box, "fill", colour);
    this.svg.append(box);
    return box;
  }

  /** Each line of a piece of text where the browser put it. */
  drawText(node) {
    const content = node.data;
    if (content.trim() === "" || node.parentElement === null) return;
    const style = getComputedStyle(node.parentElement);
    if (style.visibility !== "visible") return;
    for (const { text, place } of linesOfText(node)) {
      const line = document.createElementNS(SVG_SPACE, "text");
      const size = parseFloat(style.fontSize);
      const isReversed = style.direction === "rtl";
      line.setAttribute("x", tidyNumber((isReversed ? place.right : place.left) - this.origin.left));
      // The baseline stands about a quarter of the letter's size under the middle of the line.
      line.setAttribute("y", tidyNumber(place.top + place.height / 2 + size * 0.34 - this.origin.top));
      if (isReversed) line.setAttribute("direction", "rtl");
      writePaint(line, "fill", style.color);
      line.setAttribute("font-family", style.fontFamily);
      line.setAttribute("font-size", style.fontSize);
      if (style.fontWeight !== "400") line.setAttribute("font-weight", style.fontWeight);
      if (style.fontStyle !== "normal") line.setAttribute("font-style", style.fontStyle);
      line.textContent = style.textTransform === "uppercase" ? text.toUpperCase() : text;
      this.svg.append(line);
      this.cover(place);
    }
  }

  cover(place) {
    if (place.width === 0 && place.height === 0) return; // a text without letters is nowhere
    this.left = Math.min(this.left, place.left - this.origin.left);
    this.top = Math.min(this.top, place.top - this.origin.top);
    this.right = Math.max(this.right, place.right - this.origin.left);
    this.bottom = Math.max(this.bottom, place.bottom - this.origin.top);
  }

  finish(title) {
    if (this.right < this.left) throw new Error("there is nothing to draw in this view yet");
    const width = Math.ceil(this.right - this.left + 2 * PICTURE_MARGIN);
    const height = Math.ceil(this.bottom - this.top + 2 * PICTURE_MARGIN);
    const [x, y] = [Math.floor(this.left - PICTURE_MARGIN), Math.floor(this.top - PICTURE_MARGIN)];
    const ground = document.createElementNS(SVG_SPACE, "rect");
    for (const [name, value] of Object.entries({ x, y, width, height, fill: "#ffffff" })) {
      ground.setAttribute(name, String(value));
    }
    const heading = document.createElementNS(SVG_SPACE, "title");
    heading.textContent = title;
    this.svg.prepend(heading, ground);
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    this.svg.setAttribute("width", String(width));
    this.svg.setAttribute("height", String(height));
    const text = new XMLSerializer().serializeToString(this.svg).replace(NO_XML, visible);
    return { text, width, height };
  }
}

/** A copy of an SVG whose looks are attributes; classes, handlers and links stay behind. */
function styledCopy(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  const unseen = [];
  for (const [index, original] of originals.entries()) {
    const twin = copies[index];
    if (!(original instanceof SVGElement)) continue;
    const style = getComputedStyle(original);
    if (style.display === "none" || style.visibility !== "visible") {
      if (style.display === "none" || !(original instanceof SVGGElement)) unseen.push(twin);
    }
    writeLooks(style, twin, original instanceof SVGTextContentElement, index === 0);
  }
  for (const twin of unseen) if (!(twin instanceof SVGTitleElement)) twin.remove();
  return copy;
}

const DRAWN_NAMES = "path, rect, circle, ellipse, line, polyline, polygon, text, tspan, use";
const DRAWN_SHAPES = new Set(DRAWN_NAMES.split(", "));

function writeLooks(style, twin, isText, isOutermost) {
  for (const name of [...twin.getAttributeNames()]) {
    if (/^(class|style|role|tabindex|focusable|on.*|data-.*|aria-.*)$/.test(name)) twin.removeAttribute(name);
  }
  const isDrawn = DRAWN_SHAPES.has(twin.localName);
  for (const [name, usual] of Object.entries(PICTURE_LOOKS)) {
    const isOwn = name === "opacity" || name === "unicode-bidi" || name === "text-decoration-line";
    if (!isDrawn && !(isOwn && !isOutermost)) continue;
    if (TEXT_LOOKS.has(name) && !isText) continue;
    const value = style.getPropertyValue(name);
    if (name === "fill" || name === "stroke") writePaint(twin, name, value);
    else if (value !== usual && value !== "") {
      const attribute = name === "text-decoration-line" ? "text-decoration" : name;
      if (isText || !/^(font|letter|text|dominant|direction|unicode)/.test(name)) twin.setAttribute(attribute, value);
    }
  }
  if (style.transform !== "none" && !twin.hasAttribute("transform") && !isOutermost) {
    twin.setAttribute("transform", style.transform);
  }
  for (const place of ["x", "y", "cx", "cy", "r", "rx", "ry", "d", "width", "height"]) {
    // Geometry may be set by style; then the attribute is not there.
    const value = isDrawn && !isText && !twin.hasAttribute(place) ? style.getPropertyValue(place) : "";
    if (value && value !== "auto" && value !== "none" && value !== "0px") {
      twin.setAttribute(place, place === "d" ? value.replace(/^path\("|"\)$/g, "") : value);
    }
  }
}

/** A colour as old viewers know it: without transparency in it, and in rgb. */
function writePaint(element, name, value) {
  const parts = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(value);
  const plain = parts ?? asRgb(value);
  if (plain === null) {
    element.setAttribute(name, value || "none");
    return;
  }
  element.setAttribute(name, `rgb(${plain[1]}, ${plain[2]}, ${plain[3]})`);
  if (plain[4] !== undefined && Number(plain[4]) < 1) {
    element.setAttribute(`${name}-opacity`, plain[4]);
  }
}

/** What a newer notation, such as color(srgb …), comes to. */
function asRgb(value) {
  const parts = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.]+))?\)$/.exec(value);
  if (parts === null) return null;
  const levels = parts.slice(1, 4).map((level) => String(Math.round(Number(level) * 255)));
  return [value, ...levels, parts[4]];
}

function isPainted(colour) {
  return colour !== "" && colour !== "transparent" && !/, 0\)$/.test(colour);
}

/** Whether a shape leaves something on the paper. */
function isInked(shape) {
  if (!shape.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
  const { fill, stroke } = getComputedStyle(shape);
  return [fill, stroke].some((colour) => colour !== "none" && isPainted(colour));
}

function isSeen(element) {
  if (/^(style|script|template|figcaption)$/.test(element.localName)) return false;
  const style = getComputedStyle(element);
  if (style.display === "none" || style.opacity === "0") return false;
  // What only a screen reader reads is clipped to a point.
  return !(style.position === "absolute" && /inset\(50%|rect\(0px/.test(style.clipPath + style.clip));
}

/** @returns {{text: string, place: DOMRect}[]} */
function linesOfText(node) {
  const text = node.data.trim();
  const range = document.createRange();
  const begin = node.data.indexOf(text);
  range.setStart(node, begin);
  range.setEnd(node, begin + text.length);
  const whole = range.getClientRects();
  if (whole.length < 2) return [...whole].map((place) => ({ text, place }));
  const lines = [];
  for (const word of node.data.matchAll(/\S+\s*/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].trimEnd().length);
    const place = range.getBoundingClientRect();
    const last = lines.at(-1);
    if (last && Math.abs(last.place.top - place.top) < place.height / 2) {
      last.text += word[0];
      last.place = joinedPlace(last.place, place);
    } else {
      lines.push({ text: word[0], place });
    }
  }
  return lines.map(({ text, place }) => ({ text: text.trimEnd(), place }));
}

function joinedPlace(one, other) {
  const left = Math.min(one.left, other.left);
  return new DOMRect(left, one.top, Math.max(one.right, other.right) - left, one.height);
}

function tidyNumber(value) {
  return String(Math.round(value * 100) / 100);
}

/** Do something while the part and all around it is in light colours, at rest, and unrolled. */
function inLightScheme(part, work) {
  const rest = new CSSStyleSheet();
  rest.replaceSync(RESTING);
  const roots = rootsAround(part);
  const silenced = [];
  const scrolled = [part, ...part.querySelectorAll("*")]
    .filter((element) => element.scrollTop !== 0 || element.scrollLeft !== 0)
    .map((element) => ({ element, top: element.scrollTop, left: element.scrollLeft }));
  for (const root of roots) {
    for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets]) silenceDark(sheet, silenced);
    root.adoptedStyleSheets.push(rest);
  }
  try {
    return work();
  } finally {
    for (const root of roots) root.adoptedStyleSheets.pop();
    for (const [rule, media] of silenced) rule.media.mediaText = media;
    for (const { element, top, left } of scrolled) element.scrollTo({ top, left, behavior: "instant" });
  }
}

const RESTING = `
:host, :root { color-scheme: light !important }
*, *::before, *::after { transition: none !important; animation: none !important }
[data-view], [data-view] *:not(svg *) { overflow: visible !important; max-height: none !important }
thead, th, td { position: static !important }
`;

function rootsAround(part) {
  const roots = [];
  let node = part;
  while (node) {
    const root = node.getRootNode();
    if (!(root instanceof ShadowRoot || root instanceof Document)) break;
    roots.push(root);
    node = root instanceof ShadowRoot ? root.host : null;
  }
  return roots;
}

function silenceDark(sheet, silenced) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return; // a style sheet of another site is not ours to read
  }
  for (const rule of rules) {
    if (rule instanceof CSSMediaRule && /prefers-color-scheme:\s*dark/.test(rule.media.mediaText)) {
      silenced.push([rule, rule.media.mediaText]);
      rule.media.mediaText = "not all";
    }
  }
}
