// Hears of what happens a moment after it did, so that no key and no click waits for being told of.

/** By then what the shopper did is on the screen. */
const DELAY_MS = 100;

export interface DelayedListener<T> {
  readonly later: (activity: T) => void;
  /** Hears at once of all that waits: the page may be gone in a moment. */
  readonly now: () => void;
}

/** Calls `hear` for each activity, in their order. */
export function createDelayedListener<T>(hear: (activity: T) => void): DelayedListener<T> {
  let waiting: T[] = [];
  const now = () => {
    const heard = waiting;
    waiting = [];
    heard.forEach(hear);
  };
  return {
    now,
    later: (activity) => {
      waiting.push(activity);
      if (waiting.length === 1) {
        setTimeout(now, DELAY_MS);
      }
    },
  };
}
