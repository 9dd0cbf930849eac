// Gives the texts of the page's language to every component.

import { createContext, useContext } from "react";

import { type Text, textOf } from "../i18n/text.ts";

export const TextContext = createContext<Text>(textOf({ locale: "", iso: "", dir: "ltr", messages: {} }));

/** The page's text function. */
export function useText(): Text {
  return useContext(TextContext);
}
