// Measures time: since the payment began, and while the page was visible.

/** An earlier start must be a mistake: no payment takes a day. */
const ELAPSED_MAX_MS = 86_400_000;

/** When the payment began: `initTime` from the query or, if that is absent, in the future or a day ago, the navigation. */
export function startOf(initTime: number | null, navigated: number, now: number): number {
  return initTime !== null && initTime <= now && now - initTime < ELAPSED_MAX_MS ? initTime : navigated;
}

/** Counts how long a page is visible: from `opened`, if it is visible then. */
export function createEngagement(visible: boolean, opened: number) {
  let before = 0;
  let since = visible ? opened : null;
  // If the clock was set back, no time has passed.
  const current = (now: number) => (since === null ? 0 : Math.max(0, now - since));
  return {
    seen: (isVisible: boolean, now: number) => {
      before += current(now);
      since = isVisible ? now : null;
    },
    /** In milliseconds until `now`. */
    ms: (now: number) => Math.round(before + current(now)),
  };
}
