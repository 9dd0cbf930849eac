// The calls about a charge: pay it, and ask where it stands (specification, point 7).

import type { ErrorId } from "../../generated/rules.ts";
import type {
  ChargeStatus,
  DirectCharge,
  ErrorCode,
  ServiceAddress,
  ShopperCharge,
} from "../../generated/wire.ts";
import type { ChargeAnswer } from "../card/form.ts";
import { partnerIdOf } from "./client-secret.ts";

/** Longer than the server's own limit for its provider, so that its answer is not missed. */
const ANSWER_TIMEOUT_MS = 45_000;
/** Pauses before a call whose answer was lost is sent again. The server takes the same key for the same press. */
const RETRY_PAUSES_MS = [500, 1_500, 4_000];
/** Answers that say the server did not get to the request, or cannot say what became of it. */
const RETRIED_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Who calls, and whom. */
export interface Caller {
  readonly clientSecret: string;
  /** Who the shopper is to experiments. */
  readonly cookieId: string;
  readonly service: ServiceAddress;
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
  const answer = await answerTo(caller.service.direct_charges, caller, init, RETRY_PAUSES_MS);
  return answer === null
    ? { kind: "unanswered" }
    : chargeAnswer(answer.status, answer.body, answer.retryAfterSeconds);
}

/** Where the charge stands, or null when the server cannot be asked now. Never throws. */
export function seeCharge(chargeId: string, caller: Caller): Promise<ShopperCharge | null> {
  return chargeAt(chargeId, "", caller);
}

/**
 * Has the server give up what the charge waits for, since the shopper closed it. Where the charge stands then, or null
 * when that could not be had. Never throws.
 */
export function cancelShopperAction(chargeId: string, caller: Caller): Promise<ShopperCharge | null> {
  return chargeAt(chargeId, "/cancel-shopper-action", caller, { method: "POST" }, RETRY_PAUSES_MS);
}

async function chargeAt(
  chargeId: string,
  action: string,
  caller: Caller,
  init?: RequestInit,
  pauses?: readonly number[],
): Promise<ShopperCharge | null> {
  const path = `${caller.service.base}/v1/pub/charges/${encodeURIComponent(chargeId)}${action}`;
  const answer = await answerTo(path, caller, init, pauses);
  return answer?.status === 200 ? (answer.body as ShopperCharge) : null;
}

/** The headers that say who calls. Throws when the client secret names no partner (point 8). */
export function authorisation({ clientSecret, cookieId }: Caller): Record<string, string> {
  return {
    Authorization: `Bearer ${clientSecret}`,
    "partner-id": partnerIdOf(clientSecret),
    "cookie-id": cookieId,
  };
}

/** An answer as it came. */
interface Answered {
  readonly status: number;
  readonly body: unknown;
  /** From `retry-after`, which our server gives in seconds. */
  readonly retryAfterSeconds: number | null;
}

/** What the server answered, asked again after each of `pauses`, or null when no answer came. Never throws. */
async function answerTo(
  url: string,
  caller: Caller,
  init?: RequestInit,
  pauses: readonly number[] = [],
): Promise<Answered | null> {
  let headers: HeadersInit;
  try {
    headers = { ...init?.headers, ...authorisation(caller) };
  } catch (error) {
    console.error("The client secret cannot be used.", error);
    // What the server would say of it; without a partner it cannot be asked.
    return { status: 401, body: { error: { code: "client_secret_invalid" } }, retryAfterSeconds: null };
  }
  for (let pause = 0; ; pause += 1) {
    const answer = await answerOnce(url, { ...init, headers });
    if (answer !== null && !RETRIED_STATUSES.has(answer.status)) {
      return answer;
    }
    const ms = pauses[pause];
    if (ms === undefined) {
      // An answer that says nothing of the request is none.
      return null;
    }
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

async function answerOnce(url: string, init: RequestInit): Promise<Answered | null> {
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
  } catch {
    return null;
  }
}

/** The form's reading of an answer: 200 and 201 are taken, 402 is declined, anything else is refused (point 4). */
export function chargeAnswer(
  status: number,
  body: unknown,
  retryAfterSeconds: number | null = null,
): ChargeAnswer {
  const fields = asRecord(body);
  if (status === 200 || status === 201) {
    return {
      kind: "taken",
      status: (fields.status_code as ChargeStatus | undefined) ?? "succeeded",
      shopperAction:
        (fields.shopper_action as ChargeAnswer extends { shopperAction: infer A } ? A : never) ?? null,
    };
  }
  if (status === 402 && typeof fields.decline_code === "string") {
    return { kind: "declined", declineCode: fields.decline_code };
  }
  const error = asRecord(fields.error);
  return {
    kind: "refused",
    code: typeof error.code === "string" ? (error.code as ErrorCode) : null,
    ...(typeof error.field === "string" ? { field: error.field } : {}),
    ...(typeof error.reason === "string" ? { reason: error.reason as ErrorId } : {}),
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
  };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
