// Connects an input to the form machine while it is on the page. React never writes the value, so text that is typed
// before hydration stays.

import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import type { FormField } from "../card/form.ts";
import type { FormStore } from "../form-store.ts";
import { connectFieldInput, type FieldInput } from "./field-input.ts";

/** A ref for the field's input, which is connected while the ref is set. `text` is the machine's text of the field. */
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

/** Calls `seen` once when the element becomes visible, also by scrolling the merchant's page. */
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
