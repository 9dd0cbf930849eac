// Undo and redo for an input that the form formats. Formatting assigns the input's value; after that some browsers can no
// longer undo, and others undo to a wrong text. So the field keeps its own steps.

import type { Edit } from "./edit.ts";

const STEPS_MAX = 100;

/** Edits of these types, made one after another at the caret, are undone together, as in any text field. */
const UNDONE_TOGETHER: readonly string[] = ["insertText", "deleteContentBackward", "deleteContentForward"];

interface HistoryStep {
  readonly before: Edit;
  readonly after: Edit;
  readonly inputType: string;
}

export class EditHistory {
  #done: HistoryStep[] = [];
  #undone: HistoryStep[] = [];

  get isEmpty(): boolean {
    return this.#done.length + this.#undone.length === 0;
  }

  /** Keeps an edit: the input before and after it. Edits that were undone can no longer be redone. */
  record(before: Edit, after: Edit, inputType: string): void {
    this.#undone = [];
    const last = this.#done.at(-1);
    if (
      last &&
      last.inputType === inputType &&
      UNDONE_TOGETHER.includes(inputType) &&
      isSame(last.after, before)
    ) {
      this.#done[this.#done.length - 1] = { ...last, after };
      return;
    }
    this.#done = [...this.#done, { before, after, inputType }].slice(-STEPS_MAX);
  }

  /** Undoes the last edit and returns the input before it; null if there is nothing to undo. */
  undo(): Edit | null {
    const step = this.#done.pop();
    if (!step) return null;
    this.#undone.push(step);
    return step.before;
  }

  /** Redoes the edit that was undone last and returns the input after it; null if there is nothing to redo. */
  redo(): Edit | null {
    const step = this.#undone.pop();
    if (!step) return null;
    this.#done.push(step);
    return step.after;
  }

  /** Drops every step. Needed when the form itself replaces the text. */
  forget(): void {
    this.#done = [];
    this.#undone = [];
  }
}

function isSame(a: Edit, b: Edit): boolean {
  return a.text === b.text && a.start === b.start && a.end === b.end;
}
