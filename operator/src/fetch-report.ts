// Fetches the report, or returns the reason why it cannot be shown.

import type { Report } from "../../form/generated/wire.ts";
import { HOUR } from "./times.ts";

/** What the report covers. */
export interface ReportQuery {
  /** The length of the time range that ends now, in milliseconds. */
  readonly rangeMs: number;
  /** One locale, or "" for all. */
  readonly locale: string;
}

/** What the page shows when it is opened. */
export const FIRST_QUERY: ReportQuery = { rangeMs: HOUR.ms, locale: "" };

/** The reason why there is no report. */
export type ReportError =
  | { readonly kind: "wrong-key" }
  | { readonly kind: "too-many-keys"; readonly seconds: number }
  | { readonly kind: "unreachable" }
  | { readonly kind: "failed"; readonly status: number };

export type FetchResult =
  | { readonly report: Report; readonly error: null }
  | { readonly report: null; readonly error: ReportError };

/** How long a report may take. */
const TIMEOUT_MS = 20_000;
/** How long to wait when the answer has no `retry-after`. */
const WAIT_SECONDS = 60;

/** Fetches the report for the time up to now. Rejects only when `signal` is aborted. */
export async function fetchReport(
  key: string,
  query: ReportQuery,
  signal: AbortSignal,
): Promise<FetchResult> {
  const to = Date.now();
  const parameters = new URLSearchParams({ from: String(to - query.rangeMs), to: String(to) });
  if (query.locale !== "") {
    parameters.set("locale", query.locale);
  }
  try {
    const response = await fetch(`/v1/operator/report?${parameters}`, {
      headers: { authorization: `Bearer ${key}` },
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return response.ok
      ? { report: (await response.json()) as Report, error: null }
      : { report: null, error: reportErrorOf(response) };
  } catch (error) {
    if (signal.aborted) {
      throw error;
    }
    return { report: null, error: { kind: "unreachable" } };
  }
}

function reportErrorOf(response: Response): ReportError {
  switch (response.status) {
    case 401:
      return { kind: "wrong-key" };
    case 429:
      return {
        kind: "too-many-keys",
        seconds: Number(response.headers.get("retry-after")) || WAIT_SECONDS,
      };
    default:
      return { kind: "failed", status: response.status };
  }
}

/** A sentence about the error for the operator. */
export function reportErrorText(error: ReportError): string {
  switch (error.kind) {
    case "wrong-key":
      return "This is not the operator's key.";
    case "too-many-keys":
      return `Too many wrong keys came from your address. Try again in ${error.seconds} seconds.`;
    case "unreachable":
      return "The service does not answer.";
    case "failed":
      return `The service could not make the report (status ${error.status}). Its log says why.`;
  }
}
