// @ts-check
// Files: chosen by a button, or dropped anywhere on the page.

const LARGEST_FILE = 20_000_000; // bytes

/**
 * @param {HTMLElement} button  opens the choice of a file
 * @param {HTMLInputElement} field
 * @param {(text: string) => void} take
 * @param {(fault: string) => void} refuse
 */
export function receiveDrops(button, field, take, refuse) {
  const takeFile = async (/** @type {File|undefined} */ file) => {
    if (!file) return;
    if (file.size > LARGEST_FILE) refuse(`${file.name} is larger than ${LARGEST_FILE / 1e6} MB`);
    else take((await file.text()).replace(/^\uFEFF/, ""));
  };
  button.addEventListener("click", () => field.click());
  field.addEventListener("change", async () => {
    await takeFile(field.files?.[0]);
    field.value = ""; // the same file may be chosen again
  });
  let depth = 0; // every element under the pointer tells that it is entered and left
  const mark = (change) => {
    depth = change === 0 ? 0 : depth + change;
    document.body.classList.toggle("dropping", depth > 0);
  };
  addEventListener("dragenter", (event) => hasSomething(event) && mark(1));
  addEventListener("dragleave", (event) => hasSomething(event) && mark(-1));
  addEventListener("dragover", (event) => hasSomething(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!hasSomething(event)) return;
    event.preventDefault();
    mark(0);
    const [file] = event.dataTransfer?.files ?? [];
    if (file) takeFile(file);
    else take(event.dataTransfer?.getData("text/plain") ?? "");
  });
}

/** Text dragged into a field is the field's own. */
function hasSomething(event) {
  const kinds = event.dataTransfer?.types ?? [];
  const field = event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement;
  return kinds.includes("Files") || (kinds.includes("text/plain") && !field);
}
