// Written by `cargo xtask generate` from the Rust crates. Do not edit.

/** `Content-Type` of a batch of events. */
export const EVENTS_CONTENT_TYPE = "application/vnd.kafka.json.v2+json";

/** The most events in one batch. */
export const EVENTS_PER_BATCH_MAX = 50;

/** The longest batch, in bytes: the direct charge must find room beside it. */
export const EVENT_BATCH_BYTES_MAX = 30000;

/** The longest text of an event, in characters. */
export const EVENT_TEXT_CHARACTERS_MAX = 512;

/** The longest address in an event, in characters. */
export const EVENT_URL_CHARACTERS_MAX = 2048;

/** The longest name of a custom event, in characters. */
export const EVENT_NAME_CHARACTERS_MAX = 64;

/** The most entries in an event's `data`. */
export const EVENT_DATA_ENTRIES_MAX = 16;
