// Gives the texts of the page's language to every component.

import { createContext, useContext } from "react";

import type { Text } from "../i18n/text.ts";

export const TextContext = createContext<Text>((key) => key);

/** The page's text function. */
export function useText(): Text {
  return useContext(TextContext);
}
