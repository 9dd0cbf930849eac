// Gives the form's state to every component.

import { createContext, useContext, useSyncExternalStore } from "react";

import type { FormState } from "../card/form.ts";
import type { FormStore } from "../form-store.ts";

export const StoreContext = createContext<FormStore | null>(null);

/** The store that the page was drawn with. */
export function useStore(): FormStore {
  const store = useContext(StoreContext);
  if (store === null) {
    throw new Error("a form component was drawn outside of the form page");
  }
  return store;
}

/**
 * What `select` takes of the form's state: a part of it, or a value that is made of it. The component is drawn again only
 * when that is another one, because a key press changes little and shall cost little.
 */
export function useForm<Part>(select: (state: FormState) => Part): Part {
  const store = useStore();
  const part = () => select(store.state());
  return useSyncExternalStore(store.subscribe, part, part);
}
