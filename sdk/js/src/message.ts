// Reads messages from the form (docs/messages.md#from-the-form). Never throws. Only messages of Cardform's own page are read.
// That page may be newer than this SDK, so unknown codes and statuses are passed on.

import {
  type ChallengeLabels,
  type ChargeStatus,
  type FieldAction,
  type FormErrorCode,
  type FromForm,
  type FromParent,
  type LoadErrorCode,
  MESSAGE_SOURCE,
  MESSAGE_VERSION,
  type ShopperAction,
} from "../../../form/generated/wire.ts";

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

function readBody(data: Record<string, unknown>): FromForm | null {
  const { type } = data;
  switch (type) {
    case "user-loaded":
    case "request-client-secret":
    case "submit-requested":
      return { type };
    case "form-ready-state":
      return typeof data.ready === "boolean" ? { type, ready: data.ready } : null;
    case "resize":
      return isHeight(data.height) ? { type, height: data.height } : null;
    case "load-error":
      return typeof data.code === "string" ? { type, code: data.code as LoadErrorCode } : null;
    case "processing-result":
      return readResult(data);
    case "charge-changed":
      return typeof data.status === "string" ? readChange(data, data.status as ChargeStatus) : null;
    case "field-action":
      return typeof data.action === "string" && typeof data.field === "string"
        ? { type, action: data.action as FieldAction, field: data.field }
        : null;
    default:
      return null;
  }
}

function readResult({
  success,
  message,
  decline_code,
  error_code,
  not_ready,
}: Record<string, unknown>): FromForm | null {
  if (typeof success !== "boolean") {
    return null;
  }
  return {
    type: "processing-result",
    success,
    message: typeof message === "string" ? message : "",
    ...(typeof decline_code === "string" && { decline_code }),
    ...(typeof error_code === "string" && { error_code: error_code as FormErrorCode }),
    not_ready: !!not_ready,
  };
}

/** The labels are not checked: the dialog shows them as text. */
function readChange({ shopper_action, labels }: Record<string, unknown>, status: ChargeStatus): FromForm {
  return {
    type: "charge-changed",
    status,
    shopper_action: readShopperAction(shopper_action),
    ...(isRecord(labels) && { labels: labels as unknown as ChallengeLabels }),
  };
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
