// Keeps the report up to date: fetches it when the range or the locale changes, regularly while the page is visible, and
// when the operator asks for it.

import { useCallback, useEffect, useRef, useState } from "react";
import type { Report } from "../../../form/generated/wire.ts";
import type { ServiceError } from "../service.ts";
import { fetchReport, type ReportQuery } from "./fetch-report.ts";

/** The time between two fetches while the page is visible. */
const REFRESH_MS = 15_000;

export interface ReportState {
  /** The last report. It may still be the one of the previous range or locale. */
  readonly report: Report | null;
  /** The reason why the last fetch failed. */
  readonly error: ServiceError | null;
  readonly isLoading: boolean;
  readonly refresh: () => void;
}

export function useReport(key: string, query: ReportQuery): ReportState {
  const { rangeMs, locale } = query;
  const [state, setState] = useState<Omit<ReportState, "refresh">>({
    report: null,
    error: null,
    isLoading: true,
  });
  const currentRequest = useRef<AbortController | null>(null);

  const refresh = useCallback(() => {
    currentRequest.current?.abort();
    const controller = new AbortController();
    currentRequest.current = controller;
    setState((before) => ({ ...before, isLoading: true }));
    fetchReport(key, { rangeMs, locale }, controller.signal).then(
      ({ value, error }) =>
        setState((before) => ({ report: value ?? before.report, error, isLoading: false })),
      // A later request has aborted this one.
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
      currentRequest.current?.abort();
    };
  }, [refresh]);

  return { ...state, refresh };
}
