// Keeps the report up to date: it is fetched when range or locale changes, every 15 seconds while the page is visible, and
// when the operator asks for it. The first one may have come with the key.

import { useCallback, useEffect, useRef, useState } from "react";
import type { Report } from "../../form/generated/wire.ts";
import { fetchReport, type ReportError, type ReportQuery } from "./fetch-report.ts";

/** The time between two fetches while the page is visible. */
const REFRESH_MS = 15_000;

export interface ReportState {
  /** The last report. It may still be the one of the previous range or locale. */
  readonly report: Report | null;
  /** The reason why the last fetch failed. */
  readonly error: ReportError | null;
  readonly isLoading: boolean;
  readonly refresh: () => void;
}

/** `first` is the report of the first `query`, if there is one already. */
export function useReport(key: string, query: ReportQuery, first: Report | null): ReportState {
  const { rangeMs, locale } = query;
  const [state, setState] = useState<Omit<ReportState, "refresh">>({
    report: first,
    error: null,
    isLoading: first === null,
  });
  const isFetched = useRef(first !== null);
  const currentRequest = useRef<AbortController | null>(null);

  const refresh = useCallback(() => {
    currentRequest.current?.abort();
    const controller = new AbortController();
    currentRequest.current = controller;
    setState((before) => ({ ...before, isLoading: true }));
    fetchReport(key, { rangeMs, locale }, controller.signal).then(
      ({ report, error }) =>
        setState((before) => ({ report: report ?? before.report, error, isLoading: false })),
      // A later request has aborted this one.
      () => undefined,
    );
  }, [key, rangeMs, locale]);

  useEffect(() => {
    if (isFetched.current) {
      isFetched.current = false;
    } else {
      refresh();
    }
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") {
        refresh();
      }
    }, REFRESH_MS);
    return () => {
      clearInterval(timer);
      currentRequest.current?.abort();
    };
  }, [refresh]);

  return { ...state, refresh };
}
