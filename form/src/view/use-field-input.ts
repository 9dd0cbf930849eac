// Makes an input a field of the form machine while it is on the page. React never writes the value, so typing works
// before hydration and is kept.

import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import type { FormField } from "../card/form.ts";
import type { FormStore } from "../form-store.ts";
import { connectFieldInput, type FieldInput } from "./field-input.ts";

/** A ref for the field's input; while it is set, the input is the field. `text` is what the machine says it holds. */
export function useFieldInput(
  store: FormStore,
  name: FormField,
  text: string,
): RefObject<HTMLInputElement | null> {
  const ref = useRef<HTMLInputElement>(null);
  const connected = useRef<FieldInput>(null);

  useLayoutEffect(() => connected.current?.show(text), [text]);

  useLayoutEffect(() => {
    const input = ref.current;
    if (input === null) {
      return;
    }
    const field = connectFieldInput(input, store, name);
    connected.current = field;
    return () => {
      connected.current = null;
      field.disconnect();
    };
  }, [store, name]);

  useEffect(
    () => (ref.current ? whenSeen(ref.current, () => sendSeen(store, name)) : undefined),
    [store, name],
  );

  return ref;
}

function sendSeen(store: FormStore, name: FormField): void {
  store.send({ type: "field-visible", name });
}

/** Calls `seen` once, when the element has come into view, also by scrolling the page that the form is embedded in. */
function whenSeen(element: Element, seen: () => void): () => void {
  const observer = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) {
      observer.disconnect();
      seen();
    }
  });
  observer.observe(element);
  return () => observer.disconnect();
}
