// Keeps a report up to date: fetched again when range or locale changes, regularly while the page is visible, and on demand.

import { useCallback, useEffect, useRef, useState } from "react";
import type { Report } from "../../form/generated/wire.ts";
import { fetchReport, type Question, type Trouble } from "./fetch-report.ts";

/** How often the report is fetched while the page is visible, in milliseconds. */
const REFRESH_MS = 15_000;

export interface Reported {
  /** The last report, of this range and locale or the ones before. */
  readonly report: Report | null;
  /** Why the last try failed. */
  readonly trouble: Trouble | null;
  readonly isLoading: boolean;
  readonly refresh: () => void;
}

export function useReport(key: string, question: Question): Reported {
  const { rangeMs, locale } = question;
  const [state, setState] = useState<Omit<Reported, "refresh">>({
    report: null,
    trouble: null,
    isLoading: true,
  });
  const underWay = useRef<AbortController | null>(null);

  const refresh = useCallback(() => {
    underWay.current?.abort();
    const controller = new AbortController();
    underWay.current = controller;
    setState((before) => ({ ...before, isLoading: true }));
    fetchReport(key, { rangeMs, locale }, controller.signal).then(
      ({ report, trouble }) =>
        setState((before) => ({ report: report ?? before.report, trouble, isLoading: false })),
      // Aborted for a later request.
      () => undefined,
    );
  }, [key, rangeMs, locale]);

  useEffect(() => {
    refresh();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") {
        refresh();
      }
    }, REFRESH_MS);
    return () => {
      clearInterval(timer);
      underWay.current?.abort();
    };
  }, [refresh]);

  return { ...state, refresh };
}
