// Measures time: since the payment began, and while the page was visible.

/** An earlier start must be a mistake: no payment takes a day. */
const ELAPSED_MAX_MS = 86_400_000;

/**
 * When the payment began, in milliseconds since 1970: `initTime` from the query (docs/tracking.md#events). If it is
 * absent, in the future or a day ago, the start of the navigation is used.
 */
export function startOf(initTime: number | null, navigated: number, now: number): number {
  return initTime !== null && initTime <= now && now - initTime < ELAPSED_MAX_MS ? initTime : navigated;
}

/** How long a page has been visible. */
export interface Engagement {
  /** The page was shown or hidden. */
  readonly seen: (visible: boolean, now: number) => void;
  /** In milliseconds until `now`. */
  readonly ms: (now: number) => number;
}

/** Counts from `opened`, if the page is visible then. */
export function createEngagement(visible: boolean, opened: number): Engagement {
  let before = 0;
  let since = visible ? opened : null;
  // If the clock was set back, no time has passed.
  const current = (now: number) => (since === null ? 0 : Math.max(0, now - since));
  return {
    seen: (isVisible, now) => {
      before += current(now);
      since = isVisible ? now : null;
    },
    ms: (now) => Math.round(before + current(now)),
  };
}
