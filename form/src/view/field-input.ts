// Connects an input to the form machine. The browser edits the input; after each edit the field's rules say what it
// shall hold and where the caret goes. The listeners are the browser's own: React has no `beforeinput` worth the name.

import type { Edit } from "../card/edit.ts";
import { EditHistory } from "../card/edit-history.ts";
import type { FieldContext } from "../card/field.ts";
import { brandFor, type FormField, ruleOf } from "../card/form.ts";
import { blockedKey, reformat } from "../card/mask.ts";
import type { FormStore } from "../form-store.ts";
import { historyKey } from "./history-key.ts";

/** An input that is a field of the machine. */
export interface FieldInput {
  /** Shows what the machine changed on its own, as when it empties the field. */
  readonly show: (text: string) => void;
  readonly disconnect: () => void;
}

const NOTHING: Edit = { text: "", start: 0, end: 0 };

/** The last edit of a composition, whichever way the browser names it. */
const COMPOSED = "insertFromComposition";
/** A value that came without the browser announcing an edit: autofill, a password manager, a script. */
const FILLED = "insertReplacementText";

/**
 * Edits of the shopper's own hand: only these move the focus on
 * (docs/field-states.md#when-the-focus-moves-on).
 */
const TYPED: readonly string[] = ["insertText", "insertFromPaste", COMPOSED];

/** Makes `input` the field `name` until it is disconnected. */
export function connectFieldInput(input: HTMLInputElement, store: FormStore, name: FormField): FieldInput {
  const rule = ruleOf(name);
  const listening = new AbortController();
  const { signal } = listening;
  const history = new EditHistory();
  /** What the input held when nothing was under way. */
  let settled = NOTHING;
  /** What the edit that the browser announced meets. */
  let announced: Edit | null = null;
  /** What the browser is in the middle of: the text is its own until then. */
  let underWay: "composition" | "drag" | null = null;
  let isAdopted = false;

  const storeText = () => store.state().fields[name].text;
  const context = (): FieldContext => ({
    experiments: store.config.experiments,
    today: store.today(),
    brand: brandFor(store.state(), name),
  });
  const tell = (text: string, atEnd = false) =>
    store.send({ type: "field", name, event: { type: "typed", text }, atEnd });

  /** Lays out what an edit left in the input, remembers it, and tells the machine. */
  const adopt = (met: Edit, inputType: string) => {
    const wasComposing = underWay === "composition";
    underWay = null;
    announced = null;
    const edit = reformat(rule, met, read(input), inputType, context());
    write(input, edit);
    if (edit.text !== settled.text) {
      history.record(settled, edit, inputType);
    }
    settled = edit;
    const atEnd = TYPED.includes(inputType) && isFocused(input) && edit.start === edit.text.length;
    if (edit.text !== storeText() || (wasComposing && atEnd)) {
      tell(edit.text, atEnd);
      // While the form is disabled the machine takes nothing: then the input shows what will be paid with.
      show(storeText());
    }
  };

  /** Takes over what an unfinished edit, or a program that said nothing, left in the input. */
  const finish = () => {
    if (underWay === "composition") {
      adopt(settled, COMPOSED);
    } else if (underWay === "drag") {
      adopt(settled, "deleteByCut");
    } else if (input.value !== storeText()) {
      adopt(NOTHING, FILLED);
    }
  };

  const show = (text: string) => {
    if (isAdopted && underWay === null && input.value !== text) {
      settled = { text, start: text.length, end: text.length };
      write(input, settled);
      history.forget();
    }
  };

  const travel = (inputType: "historyUndo" | "historyRedo") => {
    const edit = inputType === "historyUndo" ? history.undo() : history.redo();
    if (edit !== null) {
      write(input, edit);
      settled = edit;
      tell(edit.text);
    }
  };

  const onBeforeInput = (event: InputEvent) => {
    const { inputType } = event;
    if (inputType === "historyUndo" || inputType === "historyRedo") {
      if (!history.isEmpty && event.cancelable) {
        event.preventDefault();
        travel(inputType);
      }
      return;
    }
    announced = read(input);
    if (underWay === null) {
      settled = announced;
    }
    if (inputType !== "insertText" || underWay !== null || event.isComposing || !event.data) {
      return;
    }
    const errorId = blockedKey(rule, event.data, context());
    if (errorId !== null && event.cancelable) {
      event.preventDefault();
      announced = null;
      store.send({ type: "field", name, event: { type: "key-blocked", errorId } });
    }
  };

  const onInput = (event: Event) => {
    const inputType = event instanceof InputEvent ? event.inputType : FILLED;
    if (underWay === "composition") {
      // The text is the input method's until it commits it; what it would come to is known to the machine already.
      const { text } = reformat(rule, settled, read(input), COMPOSED, context());
      if (text !== storeText()) {
        tell(text);
      }
    } else if (inputType === "deleteByDrag") {
      // The drop follows, at a place that the browser knows by the present text.
      underWay = "drag";
    } else {
      // Firefox says once more, after the composition's end, what was composed.
      const isEcho = inputType === "insertCompositionText";
      adopt(isEcho ? settled : (announced ?? NOTHING), isEcho ? COMPOSED : inputType || FILLED);
    }
  };

  const onCompositionStart = () => {
    settled = read(input);
    underWay = "composition";
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const inputType = event.isComposing || underWay !== null ? null : historyKey(event);
    if (inputType !== null && !history.isEmpty) {
      event.preventDefault();
      travel(inputType);
    }
  };

  const onBlur = () => {
    finish();
    store.send({ type: "field", name, event: { type: "blurred" } });
  };

  input.addEventListener("beforeinput", onBeforeInput, { signal });
  input.addEventListener("input", onInput, { signal });
  input.addEventListener("compositionstart", onCompositionStart, { signal });
  input.addEventListener("compositionend", finish, { signal });
  input.addEventListener("keydown", onKeyDown, { signal });
  input.addEventListener("dragend", finish, { signal });
  input.addEventListener("change", finish, { signal });
  input.form?.addEventListener("submit", finish, { signal, capture: true });
  input.addEventListener("focus", () => store.send({ type: "field-focused", name }), { signal });
  input.addEventListener("blur", onBlur, { signal });

  // Hydration goes on first; then what was typed or filled in before it is taken over.
  queueMicrotask(() => {
    if (signal.aborted) {
      return;
    }
    isAdopted = true;
    const text = storeText();
    settled = { text, start: text.length, end: text.length };
    if (input.value !== text) {
      adopt(settled, FILLED);
    }
    if (isFocused(input)) {
      store.send({ type: "field-focused", name });
    }
  });

  return { show, disconnect: () => listening.abort() };
}

function isFocused(input: HTMLInputElement): boolean {
  return document.activeElement === input;
}

function read(input: HTMLInputElement): Edit {
  const end = input.value.length;
  return { text: input.value, start: input.selectionStart ?? end, end: input.selectionEnd ?? end };
}

function write(input: HTMLInputElement, edit: Edit): void {
  const isThere = input.value === edit.text;
  if (!isThere) {
    input.value = edit.text;
  }
  // Safari would take the focus away from another field for a selection.
  if (
    isFocused(input) &&
    (!isThere || input.selectionStart !== edit.start || input.selectionEnd !== edit.end)
  ) {
    input.setSelectionRange(edit.start, edit.end);
  }
}
