// Posts a batch of events to the service in the format of Kafka's REST proxy, and reads the answer
// (docs/tracking.md#how-it-is-posted). An error is one line on the console and does not stop the page.

import { EVENTS_CONTENT_TYPE } from "../../generated/events.ts";
import type { Post, RetriablePlaces } from "./outbox.ts";

const TIMEOUT_MS = 10_000;
/** The most bytes in `keepalive` requests at one time; browsers limit them, and the direct charge needs room, too. */
const OUTLIVING_BYTES_MAX = 30_000;
/** The error code of a record that may be sent again. */
const RETRIABLE = 50003;

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/** A function that posts to `topic` and logs errors. */
export function createPost(topic: string, log: (line: string) => void): Post {
  let outliving = 0;
  return async (body, count) => {
    if (count === 0) {
      throw new RangeError("An event batch is empty.");
    }
    const bytes = new TextEncoder().encode(body).length;
    const keepalive = outliving + bytes <= OUTLIVING_BYTES_MAX;
    outliving += keepalive ? bytes : 0;
    try {
      const response = await fetch(`/topics/${encodeURIComponent(topic)}`, {
        method: "POST",
        headers: { "Content-Type": EVENTS_CONTENT_TYPE },
        body,
        keepalive,
        credentials: "omit",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.ok) {
        return retriableIn(await response.json(), count);
      }
      log(`HTTP response error! Status: ${response.status}`);
      const { status } = response;
      return status >= SERVER_ERROR || status === TOO_MANY_REQUESTS ? all(count) : [];
    } catch (error) {
      // The service answered, so it has the events, even if its answer is not JSON.
      if (error instanceof SyntaxError) {
        log("Events were answered with something else than JSON.");
        return [];
      }
      log("Events could not be posted.");
      return all(count);
    } finally {
      outliving -= keepalive ? bytes : 0;
    }
  };
}

function all(count: number): RetriablePlaces {
  return Array.from({ length: count }, (_, place) => place);
}

/** The places of the records that the answer calls retriable. */
export function retriableIn(answer: unknown, count: number): RetriablePlaces {
  const { offsets } = (answer ?? {}) as { readonly offsets?: unknown };
  return Array.isArray(offsets) ? all(count).filter((place) => offsets[place]?.error_code === RETRIABLE) : [];
}
