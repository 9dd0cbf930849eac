// Reports activity a moment later, so that no key and no click has to wait for it.

/** By then the screen shows what the shopper did. */
const DELAY_MS = 100;

export interface DelayedListener<T> {
  readonly later: (activity: T) => void;
  /** Reports everything that waits at once, because the page may close. */
  readonly now: () => void;
}

/** Calls `hear` for each activity, in order. */
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
