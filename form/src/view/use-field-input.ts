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
    // Not through React, which would draw the field again for each character. Only a changed text is shown, because a
    // program may have filled in the input before the machine has got the text.
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

  // Tells the machine once when the input becomes visible, also by scrolling the merchant's page.
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) {
        observer.disconnect();
        store.send({ type: "field-visible", name });
      }
    });
    if (ref.current) {
      observer.observe(ref.current);
    }
    return () => observer.disconnect();
  }, [store, name]);

  return ref;
}
