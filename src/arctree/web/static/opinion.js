// @ts-check
// The model's opinion beside a derivation: whose it is, and whether it is worth showing. Of a
// sentence that it parsed itself, always; of another, if it is written in the letters of the
// model's language; and otherwise when the reader asks for it.

import { scorer } from "./scores.js";

/**
 * @typedef {{name: string, title: string, text?: boolean, alphabet?: string|null}} Model
 *   `alphabet`: the small letters of its language; null where they are not known
 */

const MOST = 0.9; // a foreign name does not make a foreign sentence

export class Opinion {
  /**
   * @param {HTMLInputElement} box  turns it on and off
   * @param {HTMLElement} name      what the box is called
   * @param {any} first             the <arctree-derivation> that the box speaks of
   */
  constructor(box, name, first) {
    this.box = box;
    this.name = name;
    this.first = first;
    /** @type {boolean|null} what the reader has said */
    this.wanted = null;
    /** @type {Map<any, {model: Model|null, isApt: boolean}>} */
    this.given = new Map();
    box.addEventListener("change", () => {
      this.wanted = box.checked;
      for (const element of this.given.keys()) this.tell(element);
    });
  }

  /**
   * Give an element the opinion of a model.
   * @param {any} element
   * @param {{exploration: any, parsed?: string|null}} shown  `parsed`: by which model, if by one
   * @param {Model|null} model
   */
  give(element, { exploration, parsed }, model) {
    const forms = exploration.words.map((/** @type {{form: string}} */ { form }) => form);
    this.given.set(element, { model, isApt: Boolean(parsed) || isOfAlphabet(forms, model?.alphabet ?? null) });
    this.tell(element);
    element.score = model === null ? null : scorer(forms, model.name);
  }

  /** @param {any} element */
  tell(element) {
    const { model, isApt } = this.given.get(element) ?? { model: null, isApt: false };
    const isShown = model !== null && (this.wanted ?? isApt);
    element.model = isShown ? modelTitle(model) : null;
    if (element !== this.first || model === null) return;
    this.box.checked = isShown;
    this.name.textContent = `${model.title} model’s opinion`;
  }
}

/**
 * What a model is called within a sentence.
 * @param {Model|null} model
 */
export function modelTitle(model) {
  return model === null ? "the model" : `the ${model.title} model`;
}

/**
 * Whether most letters of some words are those of an alphabet; any are, if it is not known.
 * @param {string[]} forms
 * @param {string|null} alphabet
 */
export function isOfAlphabet(forms, alphabet) {
  if (alphabet === null) return true;
  const letters = [...forms.join("").toLowerCase()].filter((character) => /\p{L}/u.test(character));
  return letters.filter((letter) => alphabet.includes(letter)).length >= MOST * letters.length;
}
