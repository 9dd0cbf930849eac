// Filters an event's data and attributes: only words, numbers and booleans, nothing that a shopper could have typed.

import { EVENT_DATA_ENTRIES_MAX } from "../../generated/events.ts";
import type { EventValue } from "../../generated/wire.ts";

/** A flat object of words, numbers and booleans. */
export type EventData = Readonly<Record<string, EventValue>>;

/** A word begins with a letter; the pattern cannot match a card number or an email. */
const WORD = /^[a-z][\w./-]{0,63}$/i;

/** The allowed entries of `data`, at most as many as an event may have. The empty text is allowed. */
export function eventData(data: EventData): Record<string, EventValue> {
  const entries = Object.entries(data).filter(([name, value]) => WORD.test(name) && isAllowed(value));
  return Object.fromEntries(entries.slice(0, EVENT_DATA_ENTRIES_MAX));
}

function isAllowed(value: EventValue): boolean {
  return typeof value === "string"
    ? value === "" || WORD.test(value)
    : typeof value === "boolean" || Number.isFinite(value);
}
