// Hears of what happens a moment after it did, so that no key and no click waits for being told of.

/** By then what the shopper did is on the screen. */
const HEARD_AFTER_MS = 100;

export interface Hearing<T> {
  readonly later: (happening: T) => void;
  /** Hears at once of all that waits: the page may be gone in a moment. */
  readonly now: () => void;
}

/** Calls `hear` for each happening, in their order. */
export function createHearing<T>(hear: (happening: T) => void): Hearing<T> {
  let waiting: T[] = [];
  const now = () => {
    const heard = waiting;
    waiting = [];
    heard.forEach(hear);
  };
  return {
    now,
    later: (happening) => {
      waiting.push(happening);
      if (waiting.length === 1) {
        setTimeout(now, HEARD_AFTER_MS);
      }
    },
  };
}
