// A payment page's link gets a client secret (docs/calls.md#client-secret). It is in the page's first script, so that a page
// whose other scripts stall still knows its charge.

import type { ErrorCode, FormPage } from "../../generated/wire.ts";
import { wait } from "../wait.ts";

/** How long an answer may take. */
const TIMEOUT_MS = 10_000;

/** A client secret, or the error with which the service refuses the link; null if it does not answer. */
export type OpenedLink = { readonly clientSecret: string } | { readonly refused: ErrorCode } | null;

/** Asks once for each of `pauses`, and waits so long before it asks again. Never throws. */
export async function openLink(link: string, page: FormPage, pauses: readonly number[]): Promise<OpenedLink> {
  const charge = encodeURIComponent(page.intent.chargeId);
  const url = `${page.service.base}/v1/pub/charges/${charge}/client-secret`;
  for (const pause of pauses) {
    try {
      const headers = { Authorization: `Bearer ${link}` };
      const answer = await fetch(url, { method: "POST", headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
      const { client_secret, error } = await answer.json();
      if (answer.status === 201 && typeof client_secret === "string") {
        return { clientSecret: client_secret };
      }
      if (answer.status < 500 && typeof error?.code === "string") {
        return { refused: error.code };
      }
    } catch {
      // No answer, or one that is not the service's.
    }
    await wait(pause);
  }
  return null;
}
