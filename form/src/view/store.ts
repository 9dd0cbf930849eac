// Gives the form's state, and the texts of the page's language, to every component.

import { createContext, useContext, useSyncExternalStore } from "react";

import type { FormState } from "../card/form.ts";
import type { FormStore } from "../form-store.ts";
import type { Text } from "../i18n/text.ts";

export const TextContext = createContext<Text>((key) => key);

/** The page's text function. */
export function useText(): Text {
  return useContext(TextContext);
}

export const StoreContext = createContext<FormStore | null>(null);

/** The store that the page was drawn with. */
export function useStore(): FormStore {
  const store = useContext(StoreContext);
  if (store === null) {
    throw new Error("a form component was drawn outside of the form page");
  }
  return store;
}

/** What `select` makes of the form's state. The component is drawn again only when that changes, so a key press costs little. */
export function useForm<Part>(select: (state: FormState) => Part): Part {
  const store = useStore();
  const part = () => select(store.state());
  return useSyncExternalStore(store.subscribe, part, part);
}
