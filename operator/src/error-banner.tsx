// An error at the top of a part of the desk, with a button that tries again.

import { type ReactNode, useEffect } from "react";
import { errorText, type ServiceError } from "./service.ts";

interface ErrorBannerProps {
  readonly error: ServiceError | null;
  readonly onRetry: () => void;
  readonly onKeyRefused: () => void;
  /** Text after the error's. */
  readonly children?: ReactNode;
}

/** Nothing is shown without an error, or for a refused key: then the page asks for the key again. */
export function ErrorBanner({ error, onRetry, onKeyRefused, children }: ErrorBannerProps) {
  const isRefused = error?.kind === "wrong-key";
  useEffect(() => {
    if (isRefused) {
      onKeyRefused();
    }
  }, [isRefused, onKeyRefused]);
  if (error === null || isRefused) {
    return null;
  }
  return (
    <div className="banner" role="alert">
      <p>
        <strong>{errorText(error)}</strong>
        {children}
      </p>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}
