// Fetches the report of the time up to now.

import type { Report } from "../../../form/generated/wire.ts";
import { type Answer, callJson } from "../service.ts";

/** What the report covers. */
export interface ReportQuery {
  /** The length of the time range that ends now, in milliseconds. */
  readonly rangeMs: number;
  /** One locale, or "" for all. */
  readonly locale: string;
}

/** Rejects only when `signal` is aborted. */
export function fetchReport(key: string, query: ReportQuery, signal: AbortSignal): Promise<Answer<Report>> {
  const to = Date.now();
  const parameters = new URLSearchParams({ from: String(to - query.rangeMs), to: String(to) });
  if (query.locale !== "") {
    parameters.set("locale", query.locale);
  }
  return callJson(key, `report?${parameters}`, { signal });
}
