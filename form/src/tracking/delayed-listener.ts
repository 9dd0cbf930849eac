// Reports activity a moment later, so that no key and no click has to wait for it.

/** By then the screen shows what the shopper did. */
const DELAY_MS = 100;

/** Calls `hear` for each activity, in order. */
export function createDelayedListener<T>(hear: (activity: T) => void) {
  let waiting: T[] = [];
  const now = () => {
    const heard = waiting;
    waiting = [];
    heard.forEach(hear);
  };
  return {
    /** Reports everything that waits at once, because the page may close. */
    now,
    later: (activity: T) => {
      waiting.push(activity);
      if (waiting.length === 1) {
        setTimeout(now, DELAY_MS);
      }
    },
  };
}
