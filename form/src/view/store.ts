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

/** The form's state. The component is drawn again when it changes. */
export function useForm(): FormState {
  const store = useStore();
  return useSyncExternalStore(store.subscribe, store.state, store.state);
}
