// Fetches the report, or returns why there is none.

import type { Report } from "../../form/generated/wire.ts";

/** What the report is about. */
export interface Question {
  /** How far back it goes from now, in milliseconds. */
  readonly rangeMs: number;
  /** One locale, or "" for all. */
  readonly locale: string;
}

/** Why there is no report. */
export type Trouble =
  | { readonly kind: "wrong-key" }
  | { readonly kind: "too-many-keys"; readonly seconds: number }
  | { readonly kind: "unreachable" }
  | { readonly kind: "failed"; readonly status: number };

export type Fetched =
  | { readonly report: Report; readonly trouble: null }
  | { readonly report: null; readonly trouble: Trouble };

/** How long a report may take, in milliseconds. */
const TIMEOUT_MS = 20_000;
/** When an answer does not say how long to wait, in seconds. */
const WAIT_SECONDS = 60;

/** Asks for the report of the time up to now. Rejects only when `signal` is aborted. */
export async function fetchReport(key: string, question: Question, signal: AbortSignal): Promise<Fetched> {
  const to = Date.now();
  const query = new URLSearchParams({ from: String(to - question.rangeMs), to: String(to) });
  if (question.locale !== "") {
    query.set("locale", question.locale);
  }
  try {
    const response = await fetch(`/v1/operator/report?${query}`, {
      headers: { authorization: `Bearer ${key}` },
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return response.ok
      ? { report: (await response.json()) as Report, trouble: null }
      : { report: null, trouble: troubleOf(response) };
  } catch (error) {
    if (signal.aborted) {
      throw error;
    }
    return { report: null, trouble: { kind: "unreachable" } };
  }
}

function troubleOf(response: Response): Trouble {
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

/** In a sentence, for the operator. */
export function troubleText(trouble: Trouble): string {
  switch (trouble.kind) {
    case "wrong-key":
      return "This is not the operator's key.";
    case "too-many-keys":
      return `Too many wrong keys came from your address. Try again in ${trouble.seconds} seconds.`;
    case "unreachable":
      return "The service does not answer.";
    case "failed":
      return `The service could not make the report (status ${trouble.status}). Its log says why.`;
  }
}
