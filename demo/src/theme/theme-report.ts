// What the server says of a theme. It is the only one that checks themes.

import { useEffect, useState } from "react";
import type { Mode, Theme } from "./theme.ts";

/** The result of the service for a theme. */
export interface ThemeCheck {
  /** The keys whose values cannot be used. */
  readonly dropped: readonly string[];
  /** The colors that contrasted too little, and those that are shown instead. */
  readonly repaired: readonly { readonly key: string; readonly from: string; readonly to: string }[];
}

/** The repaired colors that the theme itself sets. The others are the form's own. */
export function ownRepairs(theme: Theme, { repaired }: ThemeCheck): ThemeCheck["repaired"] {
  return repaired.filter(({ key }) => {
    // The server names the part that shows the error; a theme sets one color for all.
    const path = key.replace(/\.children\.\w+(\.errorColor)$/, "$1").split(".");
    const value = path.reduce<unknown>(
      (part, name) => (part as Record<string, unknown> | undefined)?.[name],
      theme,
    );
    return value !== undefined;
  });
}

/** The server's report on the theme; null before its first answer. */
export function useThemeReport(theme: Theme, mode: Mode): ThemeCheck | null {
  const [report, setReport] = useState<ThemeCheck | null>(null);
  useEffect(() => {
    const over = new AbortController();
    const ask = async () => {
      const query = new URLSearchParams({ customStyle: JSON.stringify(theme), mode });
      const answer = await fetch(`/demo/theme-report?${query}`, { signal: over.signal });
      setReport((await answer.json()) as ThemeCheck);
    };
    // When a newer theme takes its place, or the server is gone, the last report stays.
    ask().catch(() => {});
    return () => over.abort();
  }, [theme, mode]);
  return report;
}
