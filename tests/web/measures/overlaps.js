// Pairs of texts, of one picture or of one row of the derivation table, of which each covers a
// part of the other; and pairs of trees on the stack whose boxes do.
() => {
  const elements = [...document.querySelectorAll("arctree-derivation")];
  const roots = [document, ...elements.map(({ shadowRoot }) => shadowRoot)];
  const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  const isSeen = (part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  // What is cut off at an edge covers nothing beyond it.
  const edgesOf = (element) => {
    let at = element;
    while (at && !at.matches("tr") && getComputedStyle(at).overflowX === "visible") at = at.parentElement;
    return at && !at.matches("tr") ? at.getBoundingClientRect() : null;
  };
  const clipped = (box, edges) => {
    if (edges === null) return box;
    const left = Math.max(box.left, edges.left);
    const right = Math.min(box.right, edges.right);
    return new DOMRect(left, box.top, Math.max(0, right - left), box.height);
  };
  const boxesOf = (part) => {
    const said = part.textContent || "a box";
    if (part instanceof Element) return [{ part, said, box: part.getBoundingClientRect() }];
    const range = document.createRange();
    range.selectNodeContents(part);
    const edges = edgesOf(part.parentElement);
    return [...range.getClientRects()].map((box) => ({ part, said, box: clipped(box, edges) }));
  };
  const textsOf = (row) => {
    const texts = [];
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { currentNode: text } = walker;
      if (text.data.trim() !== "" && isSeen(text.parentElement)) texts.push(text);
    }
    return texts;
  };

  const found = [];
  const compare = (parts, leastAcross, leastAlong) => {
    const placed = parts
      .flatMap(boxesOf)
      .filter(({ box }) => box.width > 0 && box.height > 0)
      .sort((one, other) => one.box.left - other.box.left);
    placed.forEach(({ part, said, box }, index) => {
      for (const { part: other, said: next, box: beside } of placed.slice(index + 1)) {
        if (beside.left >= box.right - leastAlong) break;
        if (part === other) continue; // lines of one text
        const along = Math.min(box.right, beside.right) - beside.left;
        const across = Math.min(box.bottom, beside.bottom) - Math.max(box.top, beside.top);
        const isClose = across > leastAcross * Math.min(box.height, beside.height);
        if (isClose && along > leastAlong) found.push(`${said} / ${next}`);
      }
    });
  };

  // The box of a line of text is higher than its letters.
  for (const picture of all("svg")) {
    const texts = [...picture.querySelectorAll("text")];
    compare(texts.filter((text) => text.textContent.trim() !== "" && isSeen(text)), 0.3, 0.5);
    compare([...picture.querySelectorAll(".box-back")].filter(isSeen), 0, 0.5);
  }
  for (const row of all("tr")) compare(textsOf(row), 0.3, 1);
  return found;
}
