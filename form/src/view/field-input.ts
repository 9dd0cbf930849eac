// Connects an input to the form machine. The browser edits the input; after each edit the field's rules give the new text
// and the caret. It uses the browser's own listeners because React's `beforeinput` is a different event.

import { FIELD_INPUTS } from "../../generated/rules.ts";
import { type Edit, withCaret } from "../card/edit.ts";
import { EditHistory } from "../card/edit-history.ts";
import type { FieldContext } from "../card/field.ts";
import { brandFor, type FormField, ruleOf } from "../card/form.ts";
import { blockedKey, reformat } from "../card/mask.ts";
import type { FormStore } from "../form-store.ts";
import { historyKey } from "./history-key.ts";

const NOTHING = withCaret("", 0);

/** The last edit of a composition; browsers name it differently. */
const COMPOSED = "insertFromComposition";
/** A value that came without a `beforeinput` event: autofill, a password manager, a script. */
const FILLED = "insertReplacementText";

/** Edits that the shopper makes. Only these move the focus on (docs/field-states.md#when-the-focus-moves-on). */
const TYPED: readonly string[] = ["insertText", "insertFromPaste", COMPOSED];

/** Connects `input` to the field `name` until `disconnect` is called. */
export function connectFieldInput(input: HTMLInputElement, store: FormStore, name: FormField) {
  const rule = ruleOf(name);
  const listening = new AbortController();
  const { signal } = listening;
  const history = new EditHistory();
  /** The input after the last finished edit. */
  let settled = NOTHING;
  /** The input before the edit that the browser has announced. */
  let announced: Edit | null = null;
  /** An unfinished edit of the browser; until it ends the text must not be changed. */
  let underWay: "composition" | "drag" | null = null;
  let isAdopted = false;

  const storeText = () => store.state().fields[name].text;
  const context = (): FieldContext => ({
    experiments: store.config.experiments,
    today: store.today(),
    brand: brandFor(store.state(), name),
    country: store.config.country,
  });
  const tell = (text: string, atEnd = false) => {
    keepOut(text);
    store.send({ type: "field", name, event: { type: "typed", text }, atEnd });
  };
  /** Chromium writes typed text into its session file and fills it in again, but not in an input without autofill. */
  const keepOut = (text: string) => {
    const { autoComplete, inputMode } = FIELD_INPUTS[rule];
    if (inputMode === "numeric") {
      input.autocomplete = text === "" ? autoComplete : "off";
    }
  };

  /** Formats the input after an edit, adds the edit to the history, and tells the machine. */
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
      // While the form is disabled the machine ignores edits; the input then shows the machine's text.
      show(storeText());
    }
  };

  /** Takes over the text of an unfinished edit, or of a program that sent no event. */
  const finish = () => {
    if (underWay === "composition") {
      adopt(settled, COMPOSED);
    } else if (underWay === "drag") {
      adopt(settled, "deleteByCut");
    } else if (input.value !== storeText()) {
      adopt(NOTHING, FILLED);
    }
  };

  /** Shows a text that the machine has changed, for example when it empties the field. */
  const show = (text: string) => {
    if (isAdopted && underWay === null && input.value !== text) {
      settled = withCaret(text, text.length);
      write(input, settled);
      keepOut(text);
      history.forget();
    }
  };

  const travel = (inputType: "historyUndo" | "historyRedo") => {
    // A text that is being sent stays.
    if (input.readOnly) {
      return;
    }
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
    const errorId = blockedKey(rule, event.data);
    if (errorId !== null && event.cancelable) {
      event.preventDefault();
      announced = null;
      store.send({ type: "field", name, event: { type: "key-blocked", errorId } });
    }
  };

  const onInput = (event: Event) => {
    const inputType = event instanceof InputEvent ? event.inputType : FILLED;
    if (underWay === "composition") {
      // The input method owns the text until it commits it; the machine gets the formatted text already.
      const { text } = reformat(rule, settled, read(input), COMPOSED, context());
      if (text !== storeText()) {
        tell(text);
      }
    } else if (inputType === "deleteByDrag") {
      // The drop follows, and its place refers to the unchanged text.
      underWay = "drag";
    } else {
      // Firefox repeats the composed text in an event after the composition has ended.
      const isEcho = inputType === "insertCompositionText";
      adopt(isEcho ? settled : (announced ?? NOTHING), isEcho ? COMPOSED : inputType || FILLED);
    }
  };

  const onCompositionStart = () => {
    settled = read(input);
    underWay = "composition";
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || underWay !== null) {
      return;
    }
    const inputType = historyKey(event);
    if (event.key === "Enter" && input.enterKeyHint === "next" && matchMedia("(pointer:coarse)").matches) {
      // A phone calls this key "next", and it would submit the form.
      event.preventDefault();
      const inputs = [...document.querySelectorAll<HTMLElement>(".field-input")];
      inputs[inputs.indexOf(input) + 1]?.focus();
    } else if (inputType !== null && !history.isEmpty) {
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

  // After hydration the field takes over text that was typed or filled in before.
  queueMicrotask(() => {
    if (signal.aborted) {
      return;
    }
    isAdopted = true;
    const text = storeText();
    settled = withCaret(text, text.length);
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
  // In Safari setting the selection of an input moves the focus to it.
  if (
    isFocused(input) &&
    (!isThere || input.selectionStart !== edit.start || input.selectionEnd !== edit.end)
  ) {
    input.setSelectionRange(edit.start, edit.end);
  }
}
