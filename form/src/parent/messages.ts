// Reads and writes the messages between the form and the parent page (docs/messages.md).

import {
  type FromForm,
  type FromParent,
  MESSAGE_SOURCE,
  MESSAGE_VERSION,
  type Variant,
} from "../../generated/wire.ts";

/** The longest client secret or locale that is taken from a message; a client secret has some hundred characters. */
const TEXT_LENGTH_MAX = 8192;

/** The hosted variant puts this before its types (docs/messages.md#hosted-variant). */
const HOSTED_PREFIX = "card-form:";

/** Where the two lists name the same message differently: [first list, second list without the prefix]. */
const HOSTED_NAMES: ReadonlyArray<readonly [string, string]> = [
  ["form-ready-state", "ready"],
  ["submit-ready", "submit-form-ready"],
  ["submit-not-ready", "submit-form-not-ready"],
];

/** What goes over `postMessage`: a message in its envelope. */
export type PostedMessage = { source: typeof MESSAGE_SOURCE; version: number; frame: string; type: string };

/** `message` as it is posted. */
export function envelope(message: FromForm, frame: string, variant: Variant | null): PostedMessage {
  const type = variant === "hosted" ? hostedType(message) : message.type;
  return { source: MESSAGE_SOURCE, version: MESSAGE_VERSION, frame, ...message, type };
}

function hostedType(message: FromForm): string {
  if (message.type === "processing-result" && !message.success) {
    return `${HOSTED_PREFIX}processing-error`;
  }
  const renamed = HOSTED_NAMES.find(([first]) => first === message.type);
  return HOSTED_PREFIX + (renamed?.[1] ?? message.type);
}

/**
 * What a message from the parent says, or null when it is not one for this form. Never throws, whatever `data` is.
 * A message that leaves `frame` out is meant for whichever form receives it.
 */
export function parseFromParent(data: unknown, frame: string, variant: Variant | null): FromParent | null {
  const fields = asRecord(data);
  if (fields.source !== MESSAGE_SOURCE || fields.version !== MESSAGE_VERSION) {
    return null;
  }
  if (fields.frame !== undefined && fields.frame !== frame) {
    return null;
  }
  const type = variant === "hosted" ? fromHosted(fields.type) : fields.type;
  switch (type) {
    case "submit-ready": {
      const client_secret = text(fields.client_secret);
      // Without one the form asks for it; with one that is no text the message is none of ours.
      return client_secret === null && (fields.client_secret ?? null) !== null
        ? null
        : { type, client_secret };
    }
    case "device-data-initiate":
    case "client-secret-response": {
      const client_secret = text(fields.client_secret);
      return client_secret === null ? null : { type, client_secret };
    }
    case "submit-not-ready":
    case "shopper-action-returned":
    case "shopper-action-closed":
      return { type };
    case "language-change": {
      const locale = text(fields.locale);
      return locale === null ? null : { type, locale };
    }
    default:
      return null;
  }
}

function fromHosted(type: unknown): unknown {
  if (typeof type !== "string" || !type.startsWith(HOSTED_PREFIX)) {
    return null;
  }
  const name = type.slice(HOSTED_PREFIX.length);
  return HOSTED_NAMES.find(([, hosted]) => hosted === name)?.[0] ?? name;
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" && value.length <= TEXT_LENGTH_MAX ? value : null;
}

/** The own data properties of an object; a getter that throws or a proxy makes it an empty one. */
function asRecord(data: unknown): Readonly<Record<string, unknown>> {
  try {
    return typeof data === "object" && data !== null ? { ...data } : {};
  } catch {
    return {};
  }
}
