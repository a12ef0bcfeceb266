// Texts whose contrast with what is behind them is below AA, as "ratio element text".
() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => {
    const mixed = [r, g, b].map((channel, index) => channel * a + below[index] * (1 - a));
    return [...mixed, 1];
  };
  const linear = (channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const up = (node) => node.parentElement ?? node.getRootNode().host ?? null;
  const opacityOf = (node) => {
    let product = 1;
    for (let at = node; at; at = up(at)) product *= Number(getComputedStyle(at).opacity);
    return product;
  };

  // In a picture, the shapes drawn before a text that cover its middle, the last one first.
  const shapesBehind = (picture, node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    const [across, down] = [x + width / 2, y + height / 2];
    const covers = (shape) => {
      const { left, right, top, bottom } = shape.getBoundingClientRect();
      return left <= across && across <= right && top <= down && down <= bottom;
    };
    return [...picture.querySelectorAll("rect")]
      .filter((shape) => shape.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING)
      .filter((shape) => shape.checkVisibility({ visibilityProperty: true }) && covers(shape))
      .filter((shape) => getComputedStyle(shape).fill !== "none")
      .reverse();
  };
  const behind = (node) => {
    const picture = node.closest("svg");
    const layers = (picture ? shapesBehind(picture, node) : []).map((shape) => {
      const { fill, fillOpacity } = getComputedStyle(shape);
      const [r, g, b, a] = rgba(fill);
      return [r, g, b, a * Number(fillOpacity) * opacityOf(shape)];
    });
    for (let at = picture ?? node; at; at = up(at)) {
      layers.push(rgba(getComputedStyle(at).backgroundColor));
    }
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const blank = isDark ? [18, 18, 18, 1] : [255, 255, 255, 1];
    return layers.reduceRight((below, above) => over(above, below), blank);
  };
  const ratioOf = (node) => {
    const { fill, fillOpacity, color } = getComputedStyle(node);
    const isDrawn = node instanceof SVGElement;
    const [r, g, b, a] = rgba(isDrawn ? fill : color);
    const ground = behind(node);
    const ink = over([r, g, b, a * opacityOf(node) * (isDrawn ? Number(fillOpacity) : 1)], ground);
    const [low, high] = [luminance(ink), luminance(ground)].sort((one, other) => one - other);
    return (high + 0.05) / (low + 0.05);
  };
  const leastFor = (node) => {
    const { fontSize, fontWeight } = getComputedStyle(node);
    const size = parseFloat(fontSize);
    return size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700) ? 3 : 4.5;
  };

  const found = new Set();
  const agenda = [document.body];
  while (agenda.length) {
    const node = agenda.pop();
    if (node.shadowRoot) agenda.push(node.shadowRoot);
    agenda.push(...(node.children ?? []));
    if (!(node instanceof Element) || node.matches("script, style, option, noscript")) continue;
    const own = [...node.childNodes].find(({ nodeType, data }) => nodeType === 3 && data.trim() !== "");
    const isSeen = node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!own || !isSeen || node.closest(".unseen, [disabled]")) continue;
    const ratio = ratioOf(node);
    const said = `${node.localName}.${node.getAttribute("class") ?? ""} ${own.data.trim().slice(0, 30)}`;
    if (ratio < leastFor(node)) found.add(`${ratio.toFixed(2)} ${said}`);
  }
  return [...found];
}
