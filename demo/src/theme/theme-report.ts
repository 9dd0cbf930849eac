// The server's report on a theme. Only the server checks themes.

import { useEffect, useState } from "react";
import type { Mode, Theme } from "./theme.ts";

/** The service's report on a theme. */
export interface ThemeCheck {
  /** The keys whose values cannot be used. */
  readonly dropped: readonly string[];
  /** Sentences about unknown keys, and about lengths that a frame cannot have. */
  readonly notes: readonly string[];
  /** The colors that contrasted too little, and those that are shown instead. */
  readonly repaired: readonly { readonly key: string; readonly from: string; readonly to: string }[];
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
    // If a newer theme replaces this one, or the server is unreachable, the last report stays.
    ask().catch(() => {});
    return () => over.abort();
  }, [theme, mode]);
  return report;
}
