// @ts-check
/** The looks of what is not a picture: controls, cards, the table, the help. */

export const CONTROLS_STYLE = `
button, select { min-height: 38px; padding: 4px 10px; border: 1px solid var(--edge); border-radius: 8px; background: var(--paper); color: inherit; font: inherit; cursor: pointer; }
button:hover:not([aria-disabled]) { border-color: var(--accent); color: var(--accent); }
button[aria-disabled] { border-color: var(--line); color: var(--faint); cursor: default; }
.icon { display: block; fill: currentColor; stroke: currentColor; stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }
.icon.outlined { fill: none; stroke-width: 1.8; }
kbd { display: inline-block; min-width: 1.6em; padding: 0 .4em; border: 1px solid var(--edge); border-radius: 5px; color: var(--faint); font: 12px/1.5 ui-monospace, Menlo, Consolas, "Noto Sans Mono", monospace; text-align: center; }

.transport { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px; }
.transport .group { display: flex; gap: 4px; }
.transport button { display: grid; place-items: center; min-width: 40px; padding: 4px 8px; }
.transport [data-command="play"] { min-width: 52px; border-color: var(--accent); background: var(--accent); color: var(--paper); }
.transport [data-command="play"]:hover { color: var(--paper); filter: brightness(1.08); }
.seek { display: flex; flex: 1 1 150px; align-items: center; gap: 10px; }
.seek input { flex: 1; min-width: 80px; height: 24px; margin: 0; accent-color: var(--accent); cursor: pointer; }
.seek .number { min-width: 4.4em; font-variant-numeric: tabular-nums; text-align: end; }

.actions { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 10px; }
button.action { display: grid; grid-template-rows: auto auto 1fr auto; gap: 2px; min-height: 92px; padding: 10px 14px; border: 1.5px solid var(--own); border-radius: 12px; background: var(--own-wash); color: var(--ink); text-align: start; align-content: start; }
button.action:hover:not([aria-disabled]) { border-color: var(--own); color: var(--ink); box-shadow: inset 0 0 0 1px var(--own); }
.action.SHIFT { --own: var(--shift); --own-wash: var(--shift-wash); }
.action.LEFTARC { --own: var(--left); --own-wash: var(--left-wash); }
.action.RIGHTARC { --own: var(--right); --own-wash: var(--right-wash); }
.action .title { display: flex; align-items: center; justify-content: space-between; gap: 6px; }
.action .name { color: var(--own); font-weight: 650; letter-spacing: .03em; }
.action .effect { overflow-wrap: anywhere; }
.action .verdict { color: var(--faint); font-size: 13px; overflow-wrap: anywhere; }
.action.oracle .mark { color: var(--good); font-weight: 600; }
.action.keeps .mark { color: var(--good); }
.action.loses .verdict { color: var(--alarm); }
.action[aria-disabled] { border-color: var(--line); border-style: dashed; background: none; }
.action[aria-disabled] .name, .action[aria-disabled] .effect { color: var(--faint); }
.action.oracle { box-shadow: inset 0 0 0 1.5px var(--own); }
.favourite { display: block; color: var(--ink); }
.action .chance { display: flex; align-items: center; gap: 8px; margin-top: 4px; font-size: 13px; font-variant-numeric: tabular-nums; }
.meter { display: block; flex: 1; height: 6px; min-width: 30px; overflow: hidden; border-radius: 3px; background: color-mix(in srgb, var(--edge) 30%, transparent); }
.meter > span { display: block; height: 100%; background: var(--own, var(--accent)); transform: scaleX(var(--share, 0)); transform-origin: left; }
.reason { margin: 0; color: var(--alarm); font-size: 14px; }
.reason:empty { display: none; }

.row { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 8px; }
.row button { min-height: 34px; }
.row .which { font-variant-numeric: tabular-nums; }
.row [data-command="gold"] { margin-inline-start: auto; border-color: var(--accent); color: var(--accent); }
.alternatives p { margin: 8px 0 0; font-size: 14px; }
.same { color: var(--faint); }
.tick { color: var(--good); font-weight: 700; }
.tick.broken, .broken .tick { color: var(--alarm); }
.notice { padding: 8px 10px; border-inline-start: 3px solid var(--good); border-radius: 6px; background: var(--ground); }
.notice.alarm { border-color: var(--alarm); background: var(--alarm-wash); }

.invariants ul { display: grid; gap: 4px; margin: 0; padding: 0; list-style: none; }
.invariants li { display: grid; grid-template-columns: 1.4em 1fr; font-size: 14px; }
.invariants b { font-weight: 600; }
.invariants .detail { color: var(--faint); overflow-wrap: anywhere; }
.looked { margin: 10px 0 0; padding-top: 10px; border-top: 1px solid var(--line); font-size: 14px; overflow-wrap: anywhere; }
.looked .chip { max-width: 100%; overflow: hidden; text-overflow: ellipsis; vertical-align: bottom; }
.looked .which { color: var(--faint); }

.chip { display: inline-block; padding: 0 7px 1px; border-radius: 6px; background: var(--wash); white-space: nowrap; }
.chip.root { background: var(--ground); }
.chip sub, .looked sub { font-size: .82em; line-height: 1; vertical-align: -.25em; }
.chip.lit, .unread.lit { background: var(--glow); }

.table-frame { position: relative; contain: content; max-height: 440px; overflow: auto; border: 1px solid var(--line); border-radius: 12px; background: var(--paper); scrollbar-width: thin; scrollbar-color: var(--edge) transparent; }
table { width: 100%; table-layout: fixed; border-collapse: separate; border-spacing: 0; font-size: 14px; }
col.step { width: 52px; }
col.waiting { width: 30%; }
col.action { width: 108px; }
col.relation { width: 19%; }
col.chance { width: 0; }
.scored col.chance { width: 15%; }
.scored col.waiting { width: 24%; }
.relation { overflow-wrap: anywhere; }
thead th { position: sticky; top: 0; z-index: 1; background: var(--paper); color: var(--faint); font-size: 13px; font-weight: 600; border-bottom: 1.5px solid var(--ink); }
th, td { padding: 6px 10px; border-bottom: 1px solid var(--line); text-align: start; vertical-align: middle; }
tbody th { color: var(--faint); font-weight: 400; font-variant-numeric: tabular-nums; text-align: end; }
tbody tr:last-child > * { border-bottom: none; }
tbody tr { cursor: pointer; }
tbody tr:hover > * { background: var(--ground); }
tbody tr:focus-visible { outline-offset: -3px; }
tr[aria-current] > * { background: var(--wash); }
tr[aria-current]:hover > * { background: var(--wash); }
tr[aria-current] > th { color: var(--ink); box-shadow: inset 3px 0 var(--accent); }
tr[aria-current] .chip { background: var(--paper); }
tbody tr.lit > *, tbody tr.lit:hover > * { background: var(--glow); }
tr.continued .action > span:first-child { font-style: italic; }
tr.lost > * { color: var(--faint); }
td.stack > *, td.waiting > * { margin-block: 1.5px; margin-inline: 0 5px; }
td.waiting > * { display: inline-block; margin-inline-end: 9px; color: var(--faint); }
td > .chip, td > .unread { max-width: 100%; overflow: hidden; text-overflow: ellipsis; vertical-align: bottom; white-space: nowrap; }
td sub, td .unread { unicode-bidi: isolate; }
td .chip, td .more { direction: ltr; unicode-bidi: isolate; }
.more.narrow, td > .more.narrow { display: none; }
.more { color: var(--faint); font-size: 12.5px; white-space: nowrap; }
td.action { white-space: nowrap; font-weight: 600; font-size: 13px; letter-spacing: .02em; }
td.action .SHIFT { color: var(--shift); }
td.action .LEFTARC { color: var(--left); }
td.action .RIGHTARC { color: var(--right); }
td .note { display: block; color: var(--alarm); font-size: 12px; font-weight: 400; letter-spacing: 0; white-space: normal; }
tr:not(.leaving) td.action .note { color: var(--faint); }
td.chance .note { display: inline-block; margin-inline-start: 4px; }
tr.marked .relation { text-decoration: underline 2px var(--warm); text-underline-offset: 4px; }
table:not(.scored) :is(th, td).chance { display: none; }
td.chance { font-variant-numeric: tabular-nums; font-size: 13px; }
td.chance .meter { margin-bottom: 2px; }
tr.model-leaves .meter > span { background: var(--warm); }

.lifting .stages { display: flex; flex-wrap: wrap; gap: 6px; }
.stages button { display: flex; align-items: center; gap: 7px; }
.stages button[aria-current] { border-color: var(--accent); background: var(--wash); color: var(--ink); font-weight: 600; }
.stages .number { display: grid; place-items: center; width: 20px; height: 20px; border-radius: 50%; background: var(--ground); color: var(--faint); font-size: 12px; }
.stages [aria-current] .number { background: var(--accent); color: var(--paper); }
.stages .count:not(:empty) { padding: 0 6px; border-radius: 9px; background: var(--alarm-wash); color: var(--alarm); font-size: 12.5px; }
.choices { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 10px; }
.choices button { min-height: 32px; padding: 2px 10px; border-radius: 16px; border-style: dashed; font-size: 14px; }
.choices [aria-pressed="true"] { border-color: var(--warm); background: var(--alarm-wash); color: var(--alarm); }
.told { max-width: 72em; margin: 10px 0 0; }
.told strong { color: var(--alarm); }

dialog { width: min(34rem, calc(100vw - 2rem)); padding: 20px 24px; border: 1px solid var(--line); border-radius: 14px; background: var(--paper); color: var(--ink); }
dialog::backdrop { background: rgb(10 14 22 / 45%); }
dialog h2 { margin: 0 0 8px; font-size: 17px; }
dialog dl { display: grid; gap: 5px; margin: 0 0 18px; }
dialog dl > div { display: grid; grid-template-columns: 8.5rem 1fr; align-items: baseline; }
dialog dt { display: flex; gap: 4px; }
dialog dd { margin: 0; }
dialog p { margin: 0 0 12px; }
dialog .close { float: inline-end; }

@container (max-width: 960px) {
  col.step { width: 44px; }
  col.action { width: 94px; }
  th, td { padding: 6px 7px; }
  .scored col.chance { width: 14%; }
  .scored col.waiting { width: 20%; }
  .scored col.relation { width: 17%; }
}
@container (max-width: 760px) {
  .transport { gap: 8px 4px; }
  .transport .group { display: contents; }
  .transport .seek { flex: 1 1 calc(100% - 90px); order: -2; }
  .transport button { flex: 1; min-width: 34px; padding: 4px; }
  .transport select { order: -1; }
}
@container (max-width: 620px) {
  .actions { gap: 6px; }
  button.action { min-height: 104px; padding: 8px 9px; }
  .action .name { font-size: 13px; letter-spacing: 0; }
  .action .effect { font-size: 14px; }
  .action .verdict { font-size: 12.5px; }
  .action .chance { flex-wrap: wrap; gap: 2px 6px; }
  td > .deep { display: none; }
  td > .more.narrow { display: inline-block; }
  th, td { padding: 5px 5px; }
  col.step { width: 36px; }
  col.action { width: 76px; }
  col.waiting { width: 22%; }
  col.relation { width: 24%; }
  table.scored { min-width: 540px; }
  .scored col.chance { width: 15%; }
  .scored col.waiting { width: 18%; }
  .scored col.relation { width: 19%; }
  table { font-size: 13px; }
  td.action { font-size: 11.5px; letter-spacing: 0; }
  .table-frame { max-height: 380px; }
  .stages button { flex: 1 1 40%; justify-content: center; font-size: 14px; padding: 4px 6px; }
  .stages span { white-space: nowrap; }
}
`;
