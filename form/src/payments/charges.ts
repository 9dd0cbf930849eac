// The calls about a charge: pay it, and ask where it stands (docs/calls.md#direct-charge). Only our server's
// own answers are believed: whatever else comes, as from a captive portal or a proxy, is no answer.

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
import { type ExpectedSecret, ForeignSecretError, partnerOfOwn } from "./client-secret.ts";

/** Longer than the server's own limit for its provider, so that its answer is not missed. */
const ANSWER_TIMEOUT_MS = 45_000;
/** Pauses before a call whose answer was lost is sent again. The server takes the same key for the same press. */
const RETRY_PAUSES_MS = [500, 1_500, 4_000];

/** Where a charge can stand, and whether the direct charge answers so. */
const STATUSES: Readonly<Record<ChargeStatus, boolean>> = {
  created: false,
  processing: true,
  waiting_for_shopper_action: true,
  succeeded: true,
  failed: false,
  outcome_unknown: true,
  canceled: false,
  expired: false,
};

/** Who calls, and whom. */
export interface Caller {
  readonly clientSecret: string;
  /** Who the shopper is to experiments. */
  readonly cookieId: string;
  readonly service: ServiceAddress;
  /** What the client secret must be for. */
  readonly meant: ExpectedSecret;
}

/** The server refuses to say where the charge stands. */
export interface StatusRefused {
  readonly refused: ErrorCode;
}

/**
 * Pays: sends `request`, again when the network loses the answer, always with the same idempotency key, so that
 * however often it arrives the card is charged once. Never throws.
 */
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

/** Where the charge stands, or null when the server cannot be asked now. Never throws. */
export function seeCharge(chargeId: string, caller: Caller): Promise<ShopperCharge | StatusRefused | null> {
  return chargeAt(chargeId, "", caller);
}

/**
 * Has the server give up what the charge waits for, since the shopper closed it. Where the charge stands then, or null
 * when that could not be had. Never throws.
 */
export function cancelShopperAction(
  chargeId: string,
  caller: Caller,
): Promise<ShopperCharge | StatusRefused | null> {
  return chargeAt(chargeId, "/cancel-shopper-action", caller, { method: "POST" }, RETRY_PAUSES_MS);
}

async function chargeAt(
  chargeId: string,
  action: string,
  caller: Caller,
  init?: RequestInit,
  pauses?: readonly number[],
): Promise<ShopperCharge | StatusRefused | null> {
  const path = `${caller.service.base}/v1/pub/charges/${encodeURIComponent(chargeId)}${action}`;
  const read = (answer: ServerAnswer) => shopperCharge(answer, chargeId);
  const answer = await answerTo(path, caller, init, pauses, read);
  return typeof answer === "string" ? null : answer;
}

/**
 * The headers that say who calls. Throws when the client secret names no partner, or is for something else.
 */
export function authorisation({ clientSecret, cookieId, meant }: Caller): Record<string, string> {
  return {
    Authorization: `Bearer ${clientSecret}`,
    "partner-id": partnerOfOwn(clientSecret, meant),
    "cookie-id": cookieId,
  };
}

/** An answer as it came. */
export interface ServerAnswer {
  readonly status: number;
  /** The body's JSON; null when it is none. */
  readonly body: unknown;
  /** From `retry-after`, which our server gives in seconds. */
  readonly retryAfterSeconds?: number | null;
}

/**
 * What `read` makes of the server's answer, asked again after each of `pauses` while that is null. "unanswered" when none
 * came that says something, and "unsent" when the browser had no connection, so that nothing can have arrived. Never
 * throws.
 */
async function answerTo<Read>(
  url: string,
  caller: Caller,
  init: RequestInit | undefined,
  pauses: readonly number[] = [],
  read: (answer: ServerAnswer) => Read | null,
): Promise<Read | "unanswered" | "unsent"> {
  let headers: HeadersInit;
  try {
    headers = { ...init?.headers, ...authorisation(caller) };
  } catch (error) {
    const isForeign = error instanceof ForeignSecretError;
    const tell = isForeign ? console.warn : console.error;
    tell("The client secret cannot be used.", error);
    // What the server would say of it; it is not asked.
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
    // A server that took so long has the request, or never will: it is asked what became of it.
    if (ms === undefined || answer === "timed-out") {
      return "unanswered";
    }
    await new Promise((resolve) => setTimeout(resolve, ms));
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
      body: await response.json().catch(() => null),
      retryAfterSeconds: seconds > 0 ? seconds : null,
    };
  } catch (error) {
    return (error as Error | null)?.name === "TimeoutError" ? "timed-out" : "failed";
  }
}

/** What a decline asks of the shopper; undefined for a code that is not in the table. */
export function declineOf(code: string | null): Decline | undefined {
  return code !== null && Object.hasOwn(DECLINES, code) ? DECLINES[code] : undefined;
}

/**
 * The form's reading of an answer: 200 and 201 with a status of ours are taken, 402 with a decline code is declined, any
 * other 4xx with an error of ours is refused. Null is everything else: it says nothing of the payment.
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

/** Our server's word about the charge; null is somebody else's. */
function shopperCharge(
  { status, body }: ServerAnswer,
  chargeId: string,
): ShopperCharge | StatusRefused | null {
  const charge = asRecord(body);
  if (status === 200) {
    return charge.id === chargeId && isStatus(charge.status)
      ? { ...(body as ShopperCharge), shopper_action: shopperAction(charge.shopper_action) }
      : null;
  }
  const error = errorOf(status, body);
  return error && { refused: error.code as ErrorCode };
}

/** The error of a 4xx of ours; a 5xx says nothing of what became of the request. */
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
