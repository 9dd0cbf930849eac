// The calls about a charge: pay it, and ask where it stands (docs/calls.md#direct-charge). Only answers of our own server
// count; a page of a captive portal or of a proxy is treated as no answer.

import { DECLINES, type Decline } from "../../generated/declines.ts";
import type { ErrorId } from "../../generated/rules.ts";
import type {
  ChargeStatus,
  DirectCharge,
  ErrorCode,
  ServiceAddress,
  ShopperAction,
  ShopperCharge,
} from "../../generated/wire.ts";
import type { ChargeAnswer } from "../card/form.ts";
import { wait } from "../wait.ts";
import { type ExpectedSecret, ForeignSecretError, partnerOfOwn } from "./client-secret.ts";

/** Longer than the server waits for its provider, so that its answer is not missed. */
const ANSWER_TIMEOUT_MS = 45_000;
/** Pauses before a call without an answer is sent again, always with the same idempotency key. */
const RETRY_PAUSES_MS = [500, 1_500, 4_000];

/** Every status of a charge, and whether it can be the answer to a direct charge. */
const STATUSES: Readonly<Record<ChargeStatus, boolean>> = {
  created: false,
  processing: true,
  waiting_for_shopper_action: true,
  succeeded: true,
  authorized: true,
  failed: false,
  outcome_unknown: true,
  canceled: false,
  expired: false,
};

export interface Caller {
  readonly clientSecret: string;
  /** The shopper's id for experiments. */
  readonly cookieId: string;
  readonly service: ServiceAddress;
  /** The charge and merchant for which the client secret must be. */
  readonly meant: ExpectedSecret;
}

/** Where the charge stands, or the error with which the server refuses to say it; null if the server does not answer. */
export type SeenCharge = ShopperCharge | { readonly refused: ErrorCode } | null;

/** Pays. After a lost answer `request` is sent again with the same idempotency key, so the card is charged once. Never throws. */
export async function payCharge(
  request: DirectCharge,
  caller: Caller,
  idempotencyKey: string,
): Promise<ChargeAnswer> {
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": idempotencyKey },
    body: JSON.stringify(request),
  };
  const answer = await answerTo(caller.service.direct_charges, caller, init, RETRY_PAUSES_MS, chargeAnswer);
  return typeof answer === "string" ? { kind: answer } : answer;
}

/** Asks where the charge stands. Never throws. */
export function seeCharge(chargeId: string, caller: Caller): Promise<SeenCharge> {
  return chargeAt(chargeId, "", caller);
}

/** Asks the server to cancel the challenge that the shopper closed, and where the charge stands then. Never throws. */
export function cancelShopperAction(chargeId: string, caller: Caller): Promise<SeenCharge> {
  return chargeAt(chargeId, "/cancel-shopper-action", caller, { method: "POST" });
}

async function chargeAt(
  chargeId: string,
  action: string,
  caller: Caller,
  init?: RequestInit,
): Promise<SeenCharge> {
  const path = `${caller.service.base}/v1/pub/charges/${encodeURIComponent(chargeId)}${action}`;
  const answer = await answerTo(path, caller, init, [], (answer) => seenCharge(answer, chargeId));
  return answer === "unanswered" || answer === "unsent" ? null : answer;
}

/** The headers that say who calls. Throws if the client secret cannot be read or is for another charge. */
export function authorisation({ clientSecret, cookieId, meant }: Caller): Record<string, string> {
  return {
    Authorization: `Bearer ${clientSecret}`,
    "partner-id": partnerOfOwn(clientSecret, meant),
    "cookie-id": cookieId,
  };
}

export interface ServerAnswer {
  readonly status: number;
  /** The body's JSON; null if it is not JSON. */
  readonly body: unknown;
  /** From the header `retry-after`. */
  readonly retryAfterSeconds?: number | null;
}

/**
 * Calls the server and reads its answer with `read`. While `read` returns null the call is made again after each of
 * `pauses`. Returns "unanswered" if no usable answer came, and "unsent" if the browser had no connection, so that nothing
 * can have arrived. Never throws.
 */
async function answerTo<Read>(
  url: string,
  caller: Caller,
  init: RequestInit | undefined,
  pauses: readonly number[],
  read: (answer: ServerAnswer) => Read | null,
): Promise<Read | "unanswered" | "unsent"> {
  let headers: HeadersInit;
  try {
    headers = { ...init?.headers, ...authorisation(caller) };
  } catch (error) {
    const isForeign = error instanceof ForeignSecretError;
    const tell = isForeign ? console.warn : console.error;
    tell("The client secret cannot be used.", error);
    // The server would refuse it with this error, so it is not asked.
    const refused = isForeign
      ? { status: 403, body: { error: { code: "charge_mismatch" } } }
      : { status: 401, body: { error: { code: "client_secret_invalid" } } };
    return read(refused) ?? "unsent";
  }
  for (let tries = 0; ; tries += 1) {
    const isOffline = navigator.onLine === false;
    const answer = await answerOnce(url, { ...init, headers });
    const said = typeof answer === "string" ? null : read(answer);
    if (said !== null) {
      return said;
    }
    if (isOffline && answer === "failed" && tries === 0) {
      return "unsent";
    }
    const ms = pauses[tries];
    // After such a long time the request is not sent again: the page asks for the outcome.
    if (ms === undefined || answer === "timed-out") {
      return "unanswered";
    }
    await wait(ms);
  }
}

async function answerOnce(url: string, init: RequestInit): Promise<ServerAnswer | "failed" | "timed-out"> {
  try {
    const response = await fetch(url, {
      ...init,
      keepalive: true,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const seconds = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
    return {
      status: response.status,
      body: await response.json().catch(unlessTimedOut),
      retryAfterSeconds: seconds > 0 ? seconds : null,
    };
  } catch (error) {
    return isTimeout(error) ? "timed-out" : "failed";
  }
}

/** A body that is not JSON is no body. One that stalls is no answer. */
function unlessTimedOut(error: unknown): null {
  if (isTimeout(error)) {
    throw error;
  }
  return null;
}

function isTimeout(error: unknown): boolean {
  return (error as Error | null)?.name === "TimeoutError";
}

/** The shopper's next step after a decline; undefined if the code is not in the table. */
export function declineOf(code: string | null): Decline | undefined {
  return code !== null && Object.hasOwn(DECLINES, code) ? DECLINES[code] : undefined;
}

/**
 * Reads the answer to a direct charge. 200 and 201 with a known status mean "taken", 402 with a decline code "declined",
 * any other 4xx with an error code "refused". Null is any other answer: it says nothing about the payment.
 */
export function chargeAnswer({ status, body, retryAfterSeconds = null }: ServerAnswer): ChargeAnswer | null {
  const { status_code: code, decline_code: declineCode, shopper_action: action } = asRecord(body);
  if (status === 200 || status === 201) {
    return isStatus(code) && STATUSES[code]
      ? { kind: "taken", status: code, shopperAction: shopperAction(action) }
      : null;
  }
  if (status === 402 && code === "failed" && typeof declineCode === "string") {
    return { kind: "declined", declineCode, decline: declineOf(declineCode) };
  }
  const error = errorOf(status, body);
  return (
    error && {
      kind: "refused",
      code: error.code as ErrorCode,
      ...(typeof error.field === "string" ? { field: error.field } : {}),
      ...(typeof error.reason === "string" ? { reason: error.reason as ErrorId } : {}),
      ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    }
  );
}

/** Reads the answer to a question about the charge; null if it is not from our server. */
function seenCharge({ status, body }: ServerAnswer, chargeId: string): SeenCharge {
  const charge = asRecord(body);
  if (status === 200) {
    return charge.id === chargeId && isStatus(charge.status)
      ? { ...(body as ShopperCharge), shopper_action: shopperAction(charge.shopper_action) }
      : null;
  }
  const error = errorOf(status, body);
  return error && { refused: error.code as ErrorCode };
}

/** The error of a 4xx answer of our server. A 5xx does not say whether the request was carried out. */
export function errorOf(status: number, body: unknown): Readonly<Record<string, unknown>> | null {
  const error = asRecord(asRecord(body).error);
  return status >= 400 && status < 500 && typeof error.code === "string" ? error : null;
}

function isStatus(value: unknown): value is ChargeStatus {
  return typeof value === "string" && Object.hasOwn(STATUSES, value);
}

function shopperAction(value: unknown): ShopperAction | null {
  const { type, url } = asRecord(value);
  const isAction = (type === "redirect" || type === "challenge") && typeof url === "string";
  return isAction ? (value as ShopperAction) : null;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
