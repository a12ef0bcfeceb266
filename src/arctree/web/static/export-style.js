// @ts-check
// How <arctree-export> looks: a quiet list, names on one side and buttons on the other.

/** @returns {CSSStyleSheet} */
export function exportStyle() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(EXPORT_RULES);
  return sheet;
}

const EXPORT_RULES = `
:host {
  --ink: var(--arctree-ink, #1f2430);
  --faint: var(--arctree-faint, #5a6275);
  --paper: var(--arctree-paper, #ffffff);
  --line: var(--arctree-line, #d9dee7);
  --edge: var(--arctree-edge, #868fa3);
  --accent: var(--arctree-accent, #2f5fa8);
  display: block;
  color: var(--ink);
  font: 1rem/1.5 var(--arctree-sans, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif);
}
@media (prefers-color-scheme: dark) {
  :host {
    --ink: var(--arctree-ink, #e8eaf0);
    --faint: var(--arctree-faint, #a4acbd);
    --paper: var(--arctree-paper, #191d25);
    --line: var(--arctree-line, #303745);
    --edge: var(--arctree-edge, #6f7a90);
    --accent: var(--arctree-accent, #8ab4f8);
  }
}
.body { display: grid; gap: 1.1rem; }
h3 {
  margin: 0 0 0.3rem;
  color: var(--faint);
  font-size: 0.85rem;
  font-weight: 600;
}
.row {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.5rem;
  padding: 0.3rem 0;
  border-block-end: 1px solid var(--line);
}
.row:last-child { border-block-end: 0; }
.name { flex: 1 1 5rem; min-width: 0; }
button, input {
  box-sizing: border-box;
  min-height: 2.25rem;
  padding: 0.3rem 0.8rem;
  border: 1px solid var(--edge);
  border-radius: 0.5rem;
  background: var(--paper);
  color: inherit;
  font: inherit;
  font-size: 0.95rem;
}
button { min-width: 4rem; cursor: pointer; }
button:hover { border-color: var(--accent); color: var(--accent); }
input { flex: 1 1 12rem; min-width: 0; color: var(--faint); text-overflow: ellipsis; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) { button { padding-inline: 0.6rem; } }
.status {
  position: sticky;
  inset-block-end: 0;
  width: fit-content;
  min-height: 1.5em;
  margin: 0.6rem auto 0;
  padding: 0.3rem 1rem;
  border-radius: 2rem;
  background: var(--ink);
  color: var(--paper);
}
.status:empty { visibility: hidden; }
`;
