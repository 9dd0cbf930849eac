// How much time has passed: since the payment began, and while the page could be seen.

/** A start that lies further back is a mistake: nobody pays for a day. */
const ELAPSED_MAX_MS = 86_400_000;

/**
 * When the payment began, in milliseconds since 1970: `initTime` of the query (docs/tracking.md#events), as
 * the server read it. What lies ahead or a day back, or is not told, is the navigation's start instead.
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
  // A clock that was set back has no time passed.
  const current = (now: number) => (since === null ? 0 : Math.max(0, now - since));
  return {
    seen: (isVisible, now) => {
      before += current(now);
      since = isVisible ? now : null;
    },
    ms: (now) => Math.round(before + current(now)),
  };
}
