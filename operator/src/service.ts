// Calls the service's endpoints for the operator, with the key of this tab.

import type { ErrorBody, ErrorCode } from "../../form/generated/wire.ts";

/** The reason why a call failed. */
export type ServiceError =
  | { readonly kind: "wrong-key" }
  | { readonly kind: "too-many-keys"; readonly seconds: number }
  | { readonly kind: "unreachable" }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly code: ErrorCode | null;
      readonly message: string;
    };

export type Answer<T> =
  | { readonly value: T; readonly error: null }
  | { readonly value: null; readonly error: ServiceError };

/** How long an answer may take. A refund waits for the payment provider. */
const TIMEOUT_MS = 60_000;
/** How long to wait when the answer has no `retry-after`. */
const WAIT_SECONDS = 60;

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly accept?: string;
  /** Makes the call a POST. */
  readonly body?: object;
  readonly idempotencyKey?: string;
  /** How long the answer may take. */
  readonly timeoutMs?: number;
}

/** Calls an endpoint, and reads its answer with `read`. Rejects only when `signal` is aborted. */
export async function call<T>(
  key: string,
  path: string,
  read: (response: Response) => Promise<T>,
  options: CallOptions = {},
): Promise<Answer<T>> {
  const { signal, accept, body, idempotencyKey, timeoutMs = TIMEOUT_MS } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`/v1/operator/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${key}`,
        ...(accept !== undefined && { accept }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      cache: "no-store",
      credentials: "omit",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    return response.ok
      ? { value: await read(response), error: null }
      : { value: null, error: await errorOf(response) };
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    return { value: null, error: { kind: "unreachable" } };
  }
}

/** Calls an endpoint whose answer is JSON. */
export const callJson = <T>(key: string, path: string, options: CallOptions = {}): Promise<Answer<T>> =>
  call(key, path, (response) => response.json() as Promise<T>, options);

async function errorOf(response: Response): Promise<ServiceError> {
  switch (response.status) {
    case 401:
      return { kind: "wrong-key" };
    case 429:
      return {
        kind: "too-many-keys",
        seconds: Number(response.headers.get("retry-after")) || WAIT_SECONDS,
      };
    default: {
      const { status } = response;
      const body = (await response.json().catch(() => null)) as ErrorBody | null;
      return {
        kind: "refused",
        status,
        code: body?.error.code ?? null,
        message: body?.error.message ?? `The service failed (status ${status}). Its log says why.`,
      };
    }
  }
}

/** A sentence about the error for the operator. */
export function errorText(error: ServiceError): string {
  switch (error.kind) {
    case "wrong-key":
      return "This is not an operator's key.";
    case "too-many-keys":
      return `Too many wrong keys came from your address. Try again in ${error.seconds} seconds.`;
    case "unreachable":
      return "The service does not answer.";
    case "refused":
      return error.message;
  }
}
