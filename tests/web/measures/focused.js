// The element with the focus, in whatever shadow root, and whether one sees that it has it.
() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  if (!at || at === document.body) return null;
  const isRinged = (part) => {
    const { outlineStyle, outlineWidth, boxShadow, strokeWidth } = getComputedStyle(part);
    if (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) return true;
    // An arc has no box to put a ring around: its line is drawn strong.
    return boxShadow !== "none" || (part.matches(".line") && parseFloat(strokeWidth) >= 3);
  };
  const root = at.getRootNode();
  const host = root instanceof ShadowRoot ? root.host.id : "";
  const { command, action, stage } = at.dataset;
  const view = at.closest("[data-view]")?.dataset.view;
  const name = view ?? command ?? action ?? stage ?? (at.id || at.className || at.localName);
  const { width, height } = at.getBoundingClientRect();
  return {
    key: `${host}/${name}`,
    ringed: [at, ...at.querySelectorAll("*")].some(isRinged),
    seen: width > 0 && height > 0,
  };
}
