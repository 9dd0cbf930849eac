// Records the messages between the form's frame and the shop's page, without secrets.

export interface NotedMessage {
  readonly number: number;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly from: "form" | "page";
  readonly type: string;
  /** The message without its envelope and without secrets. */
  readonly message: unknown;
}

/** How many messages are kept; beyond that the oldest is removed first. */
const MESSAGES_MAX = 200;
/** Longer texts are cut, such as client secrets and payloads. */
const TEXT_CHARACTERS_MAX = 48;
const SHOWN_CHARACTERS = 10;
/** A card number. No message has so many digits in a row. */
const LONG_DIGITS = /\d(?:[ -]?\d){11,}/g;

let messages: readonly NotedMessage[] = [];
let count = 0;
const listeners = new Set<() => void>();

/** The messages so far, the oldest first. */
export const notedMessages = (): readonly NotedMessage[] => messages;

/** Calls `listener` after each message. The returned function stops that. */
export function onMessageNoted(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function forgetMessages(): void {
  messages = [];
  tell();
}

/** Starts recording. The page must call this before it shows its first form. */
export function noteMessages(): void {
  window.addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
    const frame = [...document.querySelectorAll("iframe")].find(
      ({ contentWindow }) => contentWindow === source,
    );
    if (frame?.contentWindow && isMessage(data)) {
      recordMessagesTo(frame.contentWindow);
      note("form", data);
    }
  });
}

/** The documents in which messages are already recorded. */
const watched = new WeakSet<Document>();

/**
 * Records the page's messages inside the form's window. This works because form and page have one origin in the demo. A page
 * of another origin cannot listen there.
 */
function recordMessagesTo(form: Window): void {
  try {
    if (!watched.has(form.document)) {
      watched.add(form.document);
      form.addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
        if (source === window && isMessage(data)) {
          note("page", data);
        }
      });
    }
  } catch {
    // The form has another origin, so only its own messages are recorded.
  }
}

type MessageData = { readonly source: "cardform"; readonly type: string } & Readonly<Record<string, unknown>>;

function isMessage(data: unknown): data is MessageData {
  return (
    typeof data === "object" &&
    data !== null &&
    "source" in data &&
    data.source === "cardform" &&
    "type" in data &&
    typeof data.type === "string"
  );
}

function note(from: NotedMessage["from"], data: MessageData): void {
  const { source: _source, version: _version, frame: _frame, type, ...message } = data;
  count += 1;
  const noted = { number: count, at: Date.now(), from, type, message: withoutSecrets(message) };
  messages = [...messages.slice(1 - MESSAGES_MAX), noted];
  tell();
}

function tell(): void {
  for (const listener of listeners) {
    listener();
  }
}

/** The value with long texts cut and card numbers hidden. */
function withoutSecrets(value: unknown): unknown {
  if (typeof value === "string") {
    const text = value.replaceAll(LONG_DIGITS, "…");
    return text.length > TEXT_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  }
  if (Array.isArray(value)) {
    return value.map(withoutSecrets);
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutSecrets(part)]));
  }
  return value;
}
