// Reads and writes the messages between the form and the parent page (docs/messages.md).

import {
  type FromForm,
  type FromParent,
  MESSAGE_SOURCE,
  MESSAGE_VERSION,
  type Variant,
} from "../../generated/wire.ts";

/** The longest client secret or locale that a message may have. A client secret has some hundred characters. */
const TEXT_LENGTH_MAX = 8192;

/** The longest part of the page's address that a message may have. The server has shorter limits. */
const ADDRESS_PART_LENGTH_MAX = 65_536;

/** The prefix of every type in the hosted variant (docs/messages.md#hosted-variant). */
const HOSTED_PREFIX = "card-form:";

/** The messages with another name in the hosted variant: [usual name, hosted name without the prefix]. */
const HOSTED_NAMES: ReadonlyArray<readonly [string, string]> = [
  ["form-ready-state", "ready"],
  ["submit-ready", "submit-form-ready"],
  ["submit-not-ready", "submit-form-not-ready"],
];

/** `message` in its envelope, as `postMessage` sends it. */
export function envelope(message: FromForm, frame: string, variant: Variant | null) {
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

/** Reads a message from the parent; null if it is not for this form. Without `frame` it is for every form. Never throws. */
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
      // Without a client secret the form asks for it. One that is not a text makes the message invalid.
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
    case "fields-clear":
      return { type };
    case "page-change":
      return readPageChange(fields, type);
    case "field-focus": {
      const field = text(fields.field);
      return field === null ? null : { type, field };
    }
    case "form-disable":
      return typeof fields.disabled === "boolean" ? { type, disabled: fields.disabled } : null;
    case "language-change": {
      const locale = text(fields.locale);
      return locale === null ? null : { type, locale };
    }
    default:
      return null;
  }
}

/** Each part may be absent. A part that is there must be a text. */
function readPageChange(fields: Readonly<Record<string, unknown>>, type: "page-change"): FromParent | null {
  const names = ["payload", "options", "custom_style"] as const;
  const given = names.filter((name) => (fields[name] ?? null) !== null);
  return given.every((name) => text(fields[name], ADDRESS_PART_LENGTH_MAX) !== null)
    ? { type, ...Object.fromEntries(given.map((name) => [name, fields[name]])) }
    : null;
}

function fromHosted(type: unknown): unknown {
  if (typeof type !== "string" || !type.startsWith(HOSTED_PREFIX)) {
    return null;
  }
  const name = type.slice(HOSTED_PREFIX.length);
  return HOSTED_NAMES.find(([, hosted]) => hosted === name)?.[0] ?? name;
}

function text(value: unknown, lengthMax = TEXT_LENGTH_MAX): string | null {
  return typeof value === "string" && value !== "" && value.length <= lengthMax ? value : null;
}

/** The object's own properties. If a getter or a proxy throws, none. */
function asRecord(data: unknown): Readonly<Record<string, unknown>> {
  try {
    return typeof data === "object" && data !== null ? { ...data } : {};
  } catch {
    return {};
  }
}
