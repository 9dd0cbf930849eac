// What may stand in an event's data and attributes: words, numbers and flags, nothing that a shopper could have typed.

import { EVENT_DATA_ENTRIES_MAX, type EventValue } from "../../generated/wire.ts";

/** A flat object of words, numbers and flags. */
export type Data = Readonly<Record<string, EventValue>>;

/** A word: begins with a letter, and has no room for a card number or an email. */
const WORD = /^[a-z][\w./-]{0,63}$/i;

/** The entries of `data` that may be told, at most as many as an event takes. The empty text may be. */
export function eventData(data: Data): Record<string, EventValue> {
  const entries = Object.entries(data).filter(([name, value]) => WORD.test(name) && isTold(value));
  return Object.fromEntries(entries.slice(0, EVENT_DATA_ENTRIES_MAX));
}

function isTold(value: EventValue): boolean {
  return typeof value === "string"
    ? value === "" || WORD.test(value)
    : typeof value === "boolean" || Number.isFinite(value);
}
