// Keeps the report up to date: fetches it when the range or the locale changes, regularly while the page is visible, and
// when the operator asks for it.

import { useCallback, useEffect, useRef, useState } from "react";
import type { Report } from "../../../form/generated/wire.ts";
import { callJson, type ServiceError } from "../service.ts";

/** The time between two fetches while the page is visible. */
const REFRESH_MS = 15_000;

interface ReportState {
  /** The last report. It may still be the one of the previous range or locale. */
  readonly report: Report | null;
  /** The reason why the last fetch failed. */
  readonly error: ServiceError | null;
  readonly isLoading: boolean;
}

/** The report of the `rangeMs` milliseconds up to now, for one locale, or "" for all. */
export function useReport(key: string, rangeMs: number, locale: string) {
  const [state, setState] = useState<ReportState>({ report: null, error: null, isLoading: true });
  const currentRequest = useRef<AbortController | null>(null);

  const refresh = useCallback(() => {
    currentRequest.current?.abort();
    const controller = new AbortController();
    currentRequest.current = controller;
    setState((before) => ({ ...before, isLoading: true }));
    const to = Date.now();
    const query = new URLSearchParams({
      from: String(to - rangeMs),
      to: String(to),
      ...(locale !== "" && { locale }),
    });
    callJson<Report>(key, `report?${query}`, { signal: controller.signal }).then(
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
