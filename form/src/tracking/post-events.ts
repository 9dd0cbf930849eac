// Posts a batch of events to the service's own ingestion, in Kafka's REST form, and reads what became of it
// (docs/tracking.md#how-it-is-posted). Whatever goes wrong is one line on the console, and the page goes on.

import { EVENTS_CONTENT_TYPE } from "../../generated/wire.ts";
import type { Post, RetriablePlaces } from "./outbox.ts";

/** Who has not answered by then is not waited for. */
const TIMEOUT_MS = 10_000;
/** The bytes that may be on their way in requests that outlive the page; more would take the direct charge's room. */
const OUTLIVING_BYTES_MAX = 30_000;
/** A record's error that another try may mend. */
const RETRIABLE = 50003;

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/** Posts to `topic`, and says what went wrong with `log`, each thing once. */
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
      // An answer that cannot be read is one all the same: the events were taken.
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

/** The places that the answer calls retriable. */
export function retriableIn(answer: unknown, count: number): RetriablePlaces {
  const { offsets } = (answer ?? {}) as { readonly offsets?: unknown };
  return Array.isArray(offsets) ? all(count).filter((place) => offsets[place]?.error_code === RETRIABLE) : [];
}
