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

/** Identifies the form: its messages must match all three. */
export interface Sender {
  /** The window inside the frame; null once the frame has left the page. */
  readonly window: unknown;
  /** The origin Cardform is served from. */
  readonly origin: string;
  /** The frame's id, its `name`. */
  readonly frame: string;
}

/** The parts of a `MessageEvent` that are read. */
export type IncomingMessage = Pick<MessageEvent<unknown>, "source" | "origin" | "data">;

/** A message in its envelope. */
export type Envelope<Message> = Message & { source: string; version: number; frame: string };

/** The greatest height that is accepted, in CSS pixels. */
const HEIGHT_MAX_PX = 10_000;

/** The form's message; null if it is not from the form or cannot be read. */
export function readMessage(event: IncomingMessage, sender: Sender): FromForm | null {
  if (sender.window === null || event.source !== sender.window || event.origin !== sender.origin) {
    return null;
  }
  const { data } = event;
  if (!isRecord(data) || data.source !== MESSAGE_SOURCE || data.version !== MESSAGE_VERSION) {
    return null;
  }
  // A form without an id leaves it out. Another id means another form.
  return data.frame === undefined || data.frame === sender.frame ? readBody(data) : null;
}

/** `message` in its envelope, for the form in `frame`. */
export function envelope(message: FromParent, frame: string): Envelope<FromParent> {
  return { ...message, source: MESSAGE_SOURCE, version: MESSAGE_VERSION, frame };
}

function readBody({ source, version, frame, ...body }: Record<string, unknown>): FromForm | null {
  if (body.type === "charge-changed") {
    body.shopper_action = readShopperAction(body.shopper_action);
  }
  return isReadable(body) ? (body as FromForm) : null;
}

/** Whether it is a message with its fields. Further fields do not matter, nor do labels: the dialog shows them as text. */
function isReadable({
  type,
  ready,
  height,
  code,
  action,
  field,
  success,
  status,
  fields,
}: Record<string, unknown>) {
  switch (type) {
    case "user-loaded":
    case "request-client-secret":
    case "submit-requested":
      return true;
    case "form-ready-state":
      return typeof ready === "boolean";
    case "page-changed":
    case "processing-result":
      return typeof success === "boolean";
    case "resize":
      return isHeight(height);
    case "load-error":
      return typeof code === "string";
    case "charge-changed":
      return typeof status === "string";
    case "change":
      return isRecord(fields);
    case "field-action":
      return typeof action === "string" && typeof field === "string";
  }
}

/** The result that the form tells; what is no text is left out. */
export function readResult({
  success,
  message,
  decline_code,
  error_code,
  not_ready,
}: Extract<FromForm, { type: "processing-result" }>): SubmitResult {
  if (success) {
    return { status: "succeeded" };
  }
  return not_ready
    ? { status: "not-ready" }
    : {
        status: "failed",
        message: isText(message) ? message : "",
        ...(isText(decline_code) && { declineCode: decline_code }),
        ...(isText(error_code) && { errorCode: error_code }),
      };
}

function isText(value: unknown): value is string {
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
