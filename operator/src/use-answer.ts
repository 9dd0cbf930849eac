// Keeps an answer of the service up to date: asks for it when the page that shows it opens, when its path changes, regularly
// while the page is visible, and when the operator wants it.

import { useCallback, useEffect, useRef, useState } from "react";
import { callJson, type ServiceError } from "./service.ts";

interface AnswerState<T> {
  /** The value of the last answer without an error. It may still be the one of the previous path. */
  readonly value: T | null;
  /** The reason why the last request failed. */
  readonly error: ServiceError | null;
  readonly isLoading: boolean;
}

/**
 * The answer at the path that `path` returns when it is requested; `path` comes from `useCallback`. `pauseMs` is the time
 * from one answer to the next request; null for no further requests. A later request aborts an earlier one, so that an
 * older answer never replaces a newer one.
 */
export function useAnswer<T>(key: string, path: () => string, pauseMs: (value: T | null) => number | null) {
  const [state, setState] = useState<AnswerState<T>>({ value: null, error: null, isLoading: true });
  const currentRequest = useRef<AbortController | null>(null);

  const refresh = useCallback((): Promise<void> => {
    currentRequest.current?.abort();
    const controller = new AbortController();
    currentRequest.current = controller;
    setState((before) => ({ ...before, isLoading: true }));
    return callJson<T>(key, path(), { signal: controller.signal }).then(
      ({ value, error }) => setState((before) => ({ value: value ?? before.value, error, isLoading: false })),
      // A later request has aborted this one.
      () => undefined,
    );
  }, [key, path]);

  useEffect(() => {
    void refresh();
    return () => currentRequest.current?.abort();
  }, [refresh]);

  const ms = state.isLoading ? null : pauseMs(state.value);
  useEffect(() => {
    if (ms === null) {
      return;
    }
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") {
        void refresh();
      }
    }, ms);
    return () => clearInterval(timer);
  }, [ms, refresh]);

  return { ...state, refresh };
}
