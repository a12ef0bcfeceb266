// @ts-check
/**
 * The looks of the element: calm, one accent colour, a colour for each action, and orange for
 * what is not projective or lost. A page may set the `--arctree-...` colours; light and dark
 * follow the reader.
 */
import { FONT_FAMILY, SMALL_FONT, WORD_FONT } from "./svg.js";
import { CONTROLS_STYLE } from "./controls-style.js";

/** @type {CSSStyleSheet|undefined} */
let sharedElementStyle;

/** The style sheet, made once and shared by all elements of a page. */
export function elementStyle() {
  if (sharedElementStyle === undefined) {
    sharedElementStyle = new CSSStyleSheet();
    sharedElementStyle.replaceSync(COLOURS + FRAME_STYLE + PICTURE_STYLE + CONTROLS_STYLE);
  }
  return sharedElementStyle;
}

const COLOURS = `
:host {
  --paper: var(--arctree-paper, #ffffff);
  --ink: var(--arctree-ink, #1f2430);
  --faint: var(--arctree-faint, #5a6275);
  --line: var(--arctree-line, #d9dee7);
  --edge: var(--arctree-edge, #868fa3);
  --accent: var(--arctree-accent, #2f5fa8);
  --wash: var(--arctree-wash, #e9f0fb);
  --alarm: var(--arctree-alarm, #a63a0b);
  --alarm-wash: var(--arctree-alarm-wash, #fdf1ea);
  --ground: var(--arctree-ground, #f6f7f9);
  --shift: #55607a; --shift-wash: #eef0f5;
  --left: #0f6f50; --left-wash: #e3f4ed;
  --right: #7a3fb0; --right-wash: #f3eafb;
  --good: #0f6f50; --warm: #d9702c;
  --box: #f3f6fc; --box-edge: #c2cfe6;
  --glow: #fff0b8; --glow-edge: #c98a00; --mark: #fbdcc6;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :host {
    --paper: var(--arctree-paper, #191d25);
    --ink: var(--arctree-ink, #e8eaf0);
    --faint: var(--arctree-faint, #a4acbd);
    --line: var(--arctree-line, #303745);
    --edge: var(--arctree-edge, #6f7a90);
    --accent: var(--arctree-accent, #8ab4f8);
    --wash: var(--arctree-wash, #22304a);
    --alarm: var(--arctree-alarm, #f6a96c);
    --alarm-wash: var(--arctree-alarm-wash, #33241a);
    --ground: var(--arctree-ground, #12151b);
    --shift: #aab4c8; --shift-wash: #262c38;
    --left: #5fcf9f; --left-wash: #17332a;
    --right: #c79bf2; --right-wash: #2f2440;
    --good: #5fcf9f; --warm: #f0904a;
    --box: #1f2632; --box-edge: #3d4c68;
    --glow: #4a3f14; --glow-edge: #e8c452; --mark: #5a3a22;
  }
}
`;

const FRAME_STYLE = `
:host { display: block; container-type: inline-size; color: var(--ink); font: 15px/1.45 ${FONT_FAMILY}; }
/* A rule of the page may hit the element itself, and would be inherited. */
.body, .empty, dialog { color: var(--ink); font: 15px/1.45 ${FONT_FAMILY}; letter-spacing: normal; text-align: start; text-indent: 0; text-transform: none; word-spacing: normal; }
* { box-sizing: border-box; }
[hidden], .away { display: none !important; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.body { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; }
.empty { margin: 0; padding: 2em; color: var(--faint); text-align: center; }
.card { padding: 14px 16px; border: 1px solid var(--line); border-radius: 12px; background: var(--paper); }
h3 { margin: 0 0 8px; color: var(--faint); font-size: 13px; font-weight: 600; letter-spacing: .02em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
bdi { unicode-bidi: isolate; }
.scroller { position: relative; overflow-x: auto; overscroll-behavior-x: contain; border: 1px solid var(--line); border-radius: 12px; background: var(--paper); scrollbar-width: thin; scrollbar-color: var(--edge) transparent; }
.pictures { width: max-content; min-width: 100%; padding: 10px 0 4px; }
figure { margin: 0; }
figure + figure { border-top: 1px solid var(--line); padding-top: 10px; }
figcaption { position: sticky; left: 0; width: max-content; max-width: 100cqw; padding: 0 16px; color: var(--faint); font-size: 13px; font-weight: 600; letter-spacing: .02em; }
.picture { display: block; margin: 0 auto; overflow: visible; user-select: none; }
.band { display: grid; }
.band > * { grid-area: 1 / 1; align-self: end; }
.buffer { pointer-events: none; }
.buffer .word { pointer-events: auto; }
.below { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; align-items: start; }
.side { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; }
@container (min-width: 780px) {
  .below { grid-template-columns: minmax(250px, 2fr) minmax(0, 5fr); }
}
@media (prefers-reduced-motion: reduce) { *, *::before { animation: none !important; transition: none !important; } }
`;

const PICTURE_STYLE = `
.picture text { fill: var(--ink); font-size: ${WORD_FONT}px; text-anchor: middle; }
.picture .tag, .picture .under, .picture .frame-name { fill: var(--faint); font-size: ${SMALL_FONT}px; }
.picture [tabindex] { cursor: default; outline-offset: 1px; }
.picture .arc:focus-visible { outline: none; }
.picture .arc:focus-visible .line { stroke: var(--accent); stroke-width: 4; }
.word .glow { fill: transparent; }
.word.lit .glow { fill: var(--glow); }
.picture .word.unread text { fill: var(--faint); }
.picture .word.waiting text { fill: var(--faint); }
.word.front .glow { fill: none; stroke: var(--shift); stroke-width: 1.4; }
.word.front.lit .glow { fill: var(--glow); }
.picture .word.lit text, .picture .word.front text { fill: var(--ink); }

.arc .reach { fill: none; stroke: transparent; stroke-width: 14; pointer-events: stroke; }
.arc .line { fill: none; stroke: var(--edge); stroke-width: 1.6; }
.arc .tip { fill: var(--edge); }
.arc-label rect { fill: var(--paper); }
.picture .arc-label text { fill: var(--accent); font-size: ${SMALL_FONT}px; }
.arc.coming .line { stroke-width: 1.4; stroke-dasharray: 1 4; stroke-linecap: round; opacity: .7; }
.arc.coming .tip { opacity: .3; }
.picture .arc-label.coming text { fill: var(--faint); opacity: 0; }
.arc-label.coming rect { opacity: 0; }
.picture .arc-label.coming.lit text, .arc-label.coming.lit rect { opacity: 1; }
.arc.coming.lit .line, .arc.coming.lit .tip { opacity: 1; }
.arc.new .line { stroke: var(--accent); stroke-width: 3; }
.arc.new .tip { fill: var(--accent); }
.picture .arc-label.new text { font-weight: 600; }
.arc.other .line { stroke: var(--alarm); }
.arc.other .tip { fill: var(--alarm); }
.picture .arc-label.other text { fill: var(--alarm); }
.arc.lost .line, .arc.gone .line { stroke: var(--alarm); stroke-width: 1.3; stroke-dasharray: 2 5; opacity: .75; }
.arc.lost .tip, .arc.gone .tip { fill: var(--alarm); opacity: .55; }
.picture .arc-label.lost text, .picture .arc-label.gone text { fill: var(--alarm); text-decoration: line-through; }
.arc.crossing .line { stroke: var(--warm); stroke-width: 2; stroke-dasharray: 7 4; }
.arc.crossing .tip { fill: var(--warm); }
.picture .arc-label.crossing text { fill: var(--alarm); }
.picture .arc-label.lifted text { fill: var(--alarm); }
.arc.chosen .line, .arc.crossing.new .line { stroke-width: 3.2; }
.arc.crossed .line { stroke: var(--ink); stroke-width: 2; }
.arc.crossed .tip { fill: var(--ink); }
.arc.marked .reach { stroke: var(--mark); stroke-width: 9; }
.picture .arc-label.marked text { font-weight: 600; }
.arc.unseen, .arc-label.unseen { display: none; }
.arc.lit .line { stroke: var(--glow-edge); stroke-width: 3; opacity: 1; }
.arc.lit .tip { fill: var(--glow-edge); opacity: 1; }
.arc-label.lit rect { fill: var(--glow); }
.picture .arc-label.lit text { fill: var(--ink); }

.box-back { fill: var(--box); stroke: var(--box-edge); stroke-width: 1.2; }
.box.active .box-back { stroke: var(--accent); stroke-width: 1.6; }
.branch { fill: none; stroke: var(--edge); stroke-width: 1.6; }
.branch.lit { stroke: var(--glow-edge); stroke-width: 3; }
.node .anchor { fill: none; stroke: var(--accent); stroke-width: 2.6; }
.node .pill { fill: var(--paper); stroke: var(--edge); stroke-width: 1.2; }
.node.top .pill { fill: var(--wash); stroke: var(--accent); stroke-width: 1.6; }
.node.lit .pill { fill: var(--glow); stroke: var(--glow-edge); stroke-width: 2; }
.picture .node .label { fill: var(--accent); font-size: ${SMALL_FONT}px; }
.picture .node.other .label { fill: var(--alarm); }
.node.other .pill { stroke: var(--alarm); }
.node.lifted .pill { stroke: var(--warm); stroke-dasharray: 4 2; }
.picture .node .name { fill: var(--ink); font-size: 15px; }
.node .letter { font-style: italic; }
.node .subscript { font-size: 12px; }
.picture .node.lit .label { fill: var(--ink); }
.span { fill: none; stroke: var(--glow-edge); stroke-width: 2.6; }
.root-item rect { fill: var(--ground); stroke: var(--edge); stroke-width: 1.2; }
.picture .root-item text { font-size: 14px; }
.picture .root-item .under { font-size: ${SMALL_FONT}px; }
.frame { fill: none; stroke: var(--edge); stroke-width: 1.3; stroke-dasharray: 5 4; }

.bar.yield { fill: var(--wash); stroke: var(--accent); stroke-width: 1.4; }
.bar.gap { fill: var(--alarm-wash); stroke: var(--warm); stroke-width: 1.4; stroke-dasharray: 4 3; }
.bar.between { fill: var(--ground); stroke: var(--edge); stroke-width: 1.2; }
.picture .bar-name { font-size: ${SMALL_FONT}px; }
.picture .bar-name.gap { fill: var(--alarm); }
`;
