// Connects an input to the form machine while it is on the page. React never writes the value, so text that is typed
// before hydration stays.

import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import type { FormField } from "../card/form.ts";
import type { FormStore } from "../form-store.ts";
import { connectFieldInput } from "./field-input.ts";

/** A ref for the field's input, which is connected while the ref is set and shows the machine's text of the field. */
export function useFieldInput(store: FormStore, name: FormField): RefObject<HTMLInputElement | null> {
  const ref = useRef<HTMLInputElement>(null);

  useLayoutEffect(() => {
    const input = ref.current;
    if (input === null) {
      return;
    }
    const field = connectFieldInput(input, store, name);
    // Not through React, which would draw the field again for each character. Only a changed text is shown: a program may
    // have filled in an input of which the machine has not heard yet.
    let shown = store.state().fields[name].text;
    const stop = store.subscribe(() => {
      const { text } = store.state().fields[name];
      if (text !== shown) {
        shown = text;
        field.show(text);
      }
    });
    return () => {
      stop();
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
