// Posts events in batches (docs/tracking.md#how-it-is-posted): some together, soon, again once when the
// service could not take them, and never more than there is room for.

import { EVENT_BATCH_BYTES_MAX, EVENTS_PER_BATCH_MAX, type EventRecord } from "../../generated/wire.ts";

/** How long an event waits for others. */
export const BATCHING_MS = 2_000;
/** How many events wait at most: some minutes of a very busy shopper. The oldest give way. */
export const WAITING_MAX = 500;
/** How long events wait that the service could not take, and by how much at most longer, so that not all come at once. */
const RETRY_MS = 4_000;
const RETRY_SPREAD_MS = 4_000;

/** What became of a posted batch: the places in it of the events that may be sent again. */
export type RetriablePlaces = readonly number[];

/** Posts `body`, which has `count` events. Never rejects. */
export type Post = (body: string, count: number) => Promise<RetriablePlaces>;

/** Time and chance. */
export interface OutboxEnvironment {
  /** Calls `then` in `ms`; returns the way to prevent it. */
  readonly later: (then: () => void, ms: number) => () => void;
  /** From 0 to 1. */
  readonly chance: () => number;
  /** Says that events were lost because too many waited. */
  readonly onOverflow: () => void;
}

export interface Outbox {
  readonly add: (record: EventRecord) => void;
  /** Posts all that waits, now: the page may be gone in a moment. */
  readonly flush: () => void;
}

interface Waiting {
  readonly json: string;
  readonly bytes: number;
  readonly again: boolean;
}

/** An outbox with nothing in it. */
export function createOutbox(post: Post, { later, chance, onOverflow }: OutboxEnvironment): Outbox {
  let waiting: Waiting[] = [];
  /** Batches on their way. While the page stays there is one at a time, so that the charge finds the line free. */
  let underWay = 0;
  let forget: (() => void) | null = null;

  return {
    add: (record) => {
      const json = JSON.stringify(record);
      waiting.push({ json, bytes: new TextEncoder().encode(json).length + 1, again: false });
      limit();
      if (waiting.length >= EVENTS_PER_BATCH_MAX && underWay === 0) {
        send();
      } else {
        sendIn(BATCHING_MS);
      }
    },
    flush: () => {
      while (waiting.length > 0) {
        send();
      }
    },
  };

  function limit(): void {
    if (waiting.length > WAITING_MAX) {
      waiting = waiting.slice(-WAITING_MAX);
      onOverflow();
    }
  }

  function sendIn(ms: number): void {
    forget ??= later(() => {
      forget = null;
      if (underWay === 0) {
        send();
      }
    }, ms);
  }

  function send(): void {
    forget?.();
    forget = null;
    const batch = nextBatch(waiting);
    waiting = waiting.slice(batch.length);
    underWay += 1;
    const body = `{"records":[${batch.map(({ json }) => json).join(",")}]}`;
    void post(body, batch.length).then((retriable) => {
      underWay -= 1;
      const again = batch.filter(({ again }, place) => !again && retriable.includes(place));
      waiting = [...again.map((one) => ({ ...one, again: true })), ...waiting];
      limit();
      if (waiting.length > 0) {
        sendIn(again.length > 0 ? RETRY_MS + chance() * RETRY_SPREAD_MS : BATCHING_MS);
      }
    });
  }
}

/** As many of the first as go into one batch; always one. */
function nextBatch(waiting: readonly Waiting[]): readonly Waiting[] {
  let bytes = '{"records":[]}'.length;
  const first = waiting.slice(0, EVENTS_PER_BATCH_MAX);
  const end = first.findIndex((one) => {
    bytes += one.bytes;
    return bytes > EVENT_BATCH_BYTES_MAX;
  });
  return end === -1 ? first : first.slice(0, Math.max(1, end));
}
