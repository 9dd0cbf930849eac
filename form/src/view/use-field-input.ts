// Connects an input to the form machine. The browser edits the input; after each edit the field's rules say what it
// shall hold and where the caret goes. React never writes the value, so typing works before hydration and is kept.

import { type RefObject, useLayoutEffect, useRef } from "react";
import type { FieldContext, FieldName } from "../card/field.ts";
import { brandOf } from "../card/form.ts";
import { blockedKey, type Edit, reformat } from "../card/mask.ts";
import type { FormStore } from "../form-store.ts";

const EMPTY: Edit = { text: "", start: 0, end: 0 };

/** A ref for the field's input; while it is set, the input is the field. */
export function useFieldInput(
  store: FormStore,
  name: FieldName,
  text: string,
): RefObject<HTMLInputElement | null> {
  const ref = useRef<HTMLInputElement>(null);

  // What the machine changed on its own, as when it clears the field, shows in the input.
  useLayoutEffect(() => {
    const input = ref.current;
    if (input && isAdopted.has(input) && input.value !== text) {
      write(input, { text, start: text.length, end: text.length });
    }
  }, [text]);

  useLayoutEffect(() => {
    const input = ref.current;
    return input ? connect(input, store, name) : undefined;
  }, [store, name]);

  return ref;
}

/** Inputs whose value, perhaps typed before hydration, the machine has heard of. */
const isAdopted = new WeakSet<HTMLInputElement>();

function connect(input: HTMLInputElement, store: FormStore, name: FieldName): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  let before = EMPTY;

  const context = (): FieldContext => ({
    experiments: store.config.experiments,
    today: store.today(),
    brand: brandOf(store.state()),
  });

  const adopt = (inputType: string) => {
    const edit = reformat(name, before, read(input), inputType, context());
    write(input, edit);
    before = edit;
    const atEnd = inputType.startsWith("insert") && edit.start === edit.text.length;
    if (edit.text !== store.state().fields[name].text) {
      store.send({ type: "field", name, event: { type: "typed", text: edit.text }, atEnd });
    }
  };

  input.addEventListener(
    "beforeinput",
    (event) => {
      before = read(input);
      if (event.inputType !== "insertText" || event.isComposing || !event.data) {
        return;
      }
      const errorId = blockedKey(name, event.data, context());
      if (errorId !== null && event.cancelable) {
        event.preventDefault();
        store.send({ type: "field", name, event: { type: "key-blocked", errorId } });
      }
    },
    { signal },
  );
  input.addEventListener(
    "input",
    (event) => {
      // A composition is the input method's until it ends; what it left is taken then.
      if (!(event instanceof InputEvent && event.isComposing)) {
        adopt(event instanceof InputEvent ? event.inputType : "insertReplacementText");
      }
    },
    { signal },
  );
  input.addEventListener("compositionend", () => adopt("insertCompositionText"), { signal });
  input.addEventListener("focus", () => store.send({ type: "field-focused", name }), { signal });
  input.addEventListener("blur", () => store.send({ type: "field", name, event: { type: "blurred" } }), {
    signal,
  });

  // Hydration goes on first; then what was typed or filled in before it is taken over.
  queueMicrotask(() => {
    isAdopted.add(input);
    if (!signal.aborted && input.value !== store.state().fields[name].text) {
      adopt("");
    }
    if (!signal.aborted && document.activeElement === input) {
      store.send({ type: "field-focused", name });
    }
  });

  return () => listening.abort();
}

function read(input: HTMLInputElement): Edit {
  // Inputs of type email have no selection; their rules do not move the caret.
  const end = input.value.length;
  return { text: input.value, start: input.selectionStart ?? end, end: input.selectionEnd ?? end };
}

/** Writes only what differs, so that the browser's own undo history is not cut without need. */
function write(input: HTMLInputElement, edit: Edit): void {
  if (input.value === edit.text) {
    return;
  }
  input.value = edit.text;
  if (document.activeElement === input && input.selectionStart !== null) {
    input.setSelectionRange(edit.start, edit.end);
  }
}
