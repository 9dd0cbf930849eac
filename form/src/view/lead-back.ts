// Leads back to the merchant when the outcome was shown for a moment, unless the shopper does something.

/** How long the outcome is shown before the page leads back. */
export const RETURN_MS = 5_000;

/** A shopper who does one of these reads the page, and stays. */
const STAYS = ["pointerdown", "keydown", "wheel"] as const;

/** The parts of a document that `leadBack` uses. */
export type Shown = EventTarget & Pick<Document, "hidden">;

/** Calls `leave` once `page` was shown for `RETURN_MS`, or `stay` once the shopper acts. The returned function stops both. */
export function leadBack(page: Shown, leave: () => void, stay: () => void): () => void {
  const stopped = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const startIfShown = () => {
    if (!page.hidden) {
      timer ??= setTimeout(() => {
        stop();
        leave();
      }, RETURN_MS);
    }
  };
  const onAct = () => {
    stop();
    stay();
  };
  for (const act of STAYS) {
    page.addEventListener(act, onAct, stopped);
  }
  page.addEventListener("visibilitychange", startIfShown, stopped);
  startIfShown();
  return stop;

  function stop(): void {
    clearTimeout(timer);
    stopped.abort();
  }
}
