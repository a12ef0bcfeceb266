// Texts of the derivation's controls that are wider than the box around them.
() => {
  const root = document.querySelector("#first").shadowRoot;
  const parts = root.querySelectorAll("button, .which, .verdict, .effect, .notice, .looked, .detail");
  return [...parts]
    .filter((part) => part.checkVisibility() && getComputedStyle(part).display !== "inline")
    .filter((part) => part.clientWidth > 0 && part.scrollWidth > part.clientWidth + 1)
    .map((part) => `${part.className} ${part.textContent}`);
}
