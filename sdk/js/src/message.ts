// Reads messages from the form (docs/messages.md#from-the-form). Never throws. Only messages of Cardform's own page are read.
// That page may be newer than this SDK, so unknown codes and statuses are passed on.

import {
  type FromForm,
  type FromParent,
  MESSAGE_SOURCE,
  MESSAGE_VERSION,
  type ShopperAction,
} from "../../../form/generated/wire.ts";
import type { SubmitResult } from "./result.ts";

/** What a form says. The other messages are a card page's (`cards.ts`). */
export type FormMessage = Exclude<FromForm, { type: "cards-changed" | "card-session-expired" }>;

/** The parts of a `MessageEvent` that are read. */
export type IncomingMessage = Pick<MessageEvent<unknown>, "source" | "origin" | "data">;

/** The greatest height that is accepted, in CSS pixels. */
const HEIGHT_MAX_PX = 10_000;

/**
 * The form's message; null if it cannot be read or is not from the form.
 *
 * @param window - The window inside the frame; null once the frame has left the page.
 * @param from - The origin Cardform is served from.
 * @param name - The frame's id, its `name`.
 */
export function readMessage(
  { source, origin, data }: IncomingMessage,
  window: unknown,
  from: string,
  name: string,
): FormMessage | null {
  if (window === null || source !== window || origin !== from) {
    return null;
  }
  if (!isRecord(data) || data.source !== MESSAGE_SOURCE || data.version !== MESSAGE_VERSION) {
    return null;
  }
  // A form without an id leaves it out. Another id means another form.
  return data.frame === undefined || data.frame === name ? readBody(data) : null;
}

/** `message` in its envelope, for the form in `frame`. */
export function envelope(message: FromParent, frame: string) {
  return { ...message, source: MESSAGE_SOURCE, version: MESSAGE_VERSION, frame };
}

function readBody({ source, version, frame, ...body }: Record<string, unknown>): FormMessage | null {
  if (body.type === "charge-changed") {
    body.shopper_action = readShopperAction(body.shopper_action);
  }
  return isReadable(body) ? (body as FormMessage) : null;
}

/** Whether it is a message with its fields. Further fields do not matter, nor do labels: the dialog shows them as text. */
function isReadable(body: Record<string, unknown>) {
  switch (body.type) {
    case "user-loaded":
    case "request-client-secret":
    case "submit-requested":
      return true;
    case "form-ready-state":
      return typeof body.ready === "boolean";
    case "page-changed":
    case "processing-result":
      return typeof body.success === "boolean";
    case "resize":
      return isHeight(body.height);
    case "load-error":
      return typeof body.code === "string";
    case "charge-changed":
      return typeof body.status === "string";
    case "change":
      return isRecord(body.fields);
    case "field-action":
      return typeof body.action === "string" && typeof body.field === "string";
  }
}

/** The result in the form's message. Values that are no texts are left out. */
export function readResult(told: Extract<FromForm, { type: "processing-result" }>): SubmitResult {
  if (told.success) {
    return { status: "succeeded" };
  }
  const errorCode = isText(told.error_code) && { errorCode: told.error_code };
  if (told.status === "outcome_unknown") {
    return { status: told.status, ...errorCode };
  }
  return told.not_ready
    ? { status: "not-ready" }
    : {
        status: "failed",
        message: isText(told.message) ? told.message : "",
        ...(isText(told.decline_code) && { declineCode: told.decline_code }),
        ...errorCode,
      };
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Only a web address is accepted: it is opened in the merchant's page, where `javascript:` would run. */
function readShopperAction(action: unknown): ShopperAction | null {
  if (!isRecord(action) || !/^https?:\/\//i.test(action.url as string)) {
    return null;
  }
  const { type, width, height } = action;
  return type === "redirect" || (type === "challenge" && isHeight(width) && isHeight(height))
    ? ({ ...action } as ShopperAction)
    : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isHeight(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= HEIGHT_MAX_PX;
}
