// Posts events in batches (docs/tracking.md#how-it-is-posted). Events that the service could not accept are sent once
// more. The number of waiting events is limited.

import { EVENT_BATCH_BYTES_MAX, EVENTS_PER_BATCH_MAX } from "../../generated/events.ts";
import type { EventRecord } from "../../generated/wire.ts";

/** How long an event waits for others. */
export const BATCHING_MS = 2_000;
/** How many events may wait: some minutes of a very busy shopper. Beyond that the oldest are dropped. */
export const WAITING_MAX = 500;
/** How long until rejected events are sent again, plus a random time so that not all browsers post at once. */
const RETRY_MS = 4_000;
const RETRY_SPREAD_MS = 4_000;

/** The places in a posted batch of the events that may be sent again. */
export type RetriablePlaces = readonly number[];

/** Posts `body`, which has `count` events. Never rejects. */
export type Post = (body: string, count: number) => Promise<RetriablePlaces>;

export type Outbox = ReturnType<typeof createOutbox>;

interface Waiting {
  readonly json: string;
  readonly bytes: number;
  readonly again: boolean;
}

/** An empty outbox. Calls `onOverflow` when it drops events because too many wait. */
export function createOutbox(post: Post, onOverflow: () => void) {
  let waiting: Waiting[] = [];
  /** How many batches are being posted. While the page is open it is one at a time, so that they do not delay the charge. */
  let underWay = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  return {
    add: (record: EventRecord) => {
      const json = JSON.stringify(record);
      waiting.push({ json, bytes: new TextEncoder().encode(json).length + 1, again: false });
      limit();
      if (waiting.length >= EVENTS_PER_BATCH_MAX && underWay === 0) {
        send();
      } else {
        sendIn(BATCHING_MS);
      }
    },
    /** Posts everything that waits now, because the page may close. */
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
    timer ??= setTimeout(() => {
      timer = undefined;
      if (underWay === 0) {
        send();
      }
    }, ms);
  }

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
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
        sendIn(again.length > 0 ? RETRY_MS + Math.random() * RETRY_SPREAD_MS : BATCHING_MS);
      }
    });
  }
}

/** The first events that fit into one batch; at least one. */
function nextBatch(waiting: readonly Waiting[]): readonly Waiting[] {
  let bytes = '{"records":[]}'.length;
  const first = waiting.slice(0, EVENTS_PER_BATCH_MAX);
  const end = first.findIndex((one) => {
    bytes += one.bytes;
    return bytes > EVENT_BATCH_BYTES_MAX;
  });
  return end === -1 ? first : first.slice(0, Math.max(1, end));
}
