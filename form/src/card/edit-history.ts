// What undo and redo bring back in an input whose text the form lays out itself. Laying out assigns the value, which
// ends the browser's own undo in some browsers and garbles it in others, so the field keeps its steps here.

import type { Edit } from "./edit.ts";

/** How many steps can be undone; more is not kept. */
const STEPS_MAX = 100;

/** The input types whose edits, done one after another at the caret, are undone together, as in any text field. */
const RUNS: readonly string[] = ["insertText", "deleteContentBackward", "deleteContentForward"];

interface Step {
  readonly before: Edit;
  readonly after: Edit;
  readonly inputType: string;
}

export class EditHistory {
  #done: Step[] = [];
  #undone: Step[] = [];

  /** Whether there was nothing to remember yet. */
  get isEmpty(): boolean {
    return this.#done.length + this.#undone.length === 0;
  }

  /** Remembers an edit: what the input held before it and after it. What was undone before cannot be redone then. */
  record(before: Edit, after: Edit, inputType: string): void {
    this.#undone = [];
    const last = this.#done.at(-1);
    if (last && last.inputType === inputType && RUNS.includes(inputType) && isSame(last.after, before)) {
      this.#done[this.#done.length - 1] = { ...last, after };
      return;
    }
    this.#done = [...this.#done, { before, after, inputType }].slice(-STEPS_MAX);
  }

  /** Takes the last edit back: what the input shall hold then; null when there is none. */
  undo(): Edit | null {
    const step = this.#done.pop();
    if (!step) return null;
    this.#undone.push(step);
    return step.before;
  }

  /** Does the edit again that was last taken back: what the input shall hold then; null when there is none. */
  redo(): Edit | null {
    const step = this.#undone.pop();
    if (!step) return null;
    this.#done.push(step);
    return step.after;
  }

  /** Forgets everything, as when the form itself replaced the text. */
  forget(): void {
    this.#done = [];
    this.#undone = [];
  }
}

function isSame(a: Edit, b: Edit): boolean {
  return a.text === b.text && a.start === b.start && a.end === b.end;
}
