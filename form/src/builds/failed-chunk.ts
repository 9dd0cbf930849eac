// Reloads the page when one of its scripts cannot be loaded, for example after an update or on a bad network
// (docs/form.md#scripts-that-fail).

/** The window's event when a script cannot be loaded; `form/quick-script.ts` raises it. */
export const FAILED_EVENT = "preload-error";
/** How long after a reload the same path is not reloaded again. */
const GUARD_MS = 10_000;
const STORAGE_KEY = "cardform-reloaded";

/**
 * Reloads the page if it may be reloaded, at most once in ten seconds for each path. A page with typed text may not: the
 * text would be lost, and the page can do without each of these scripts. A page that the shopper is leaving may not either:
 * Firefox gives up what still loads as soon as a link is followed, and a reload would take the shopper back.
 */
export function reloadOnce(mayReload: boolean): void {
  if (!mayReload) {
    return;
  }
  const path = location.pathname;
  try {
    const [reloaded, at] = (sessionStorage.getItem(STORAGE_KEY) ?? "").split(" ");
    if (reloaded === path && Date.now() - Number(at) < GUARD_MS) {
      return;
    }
    sessionStorage.setItem(STORAGE_KEY, `${path} ${Date.now()}`);
  } catch {
    // Without storage the page could reload itself for ever.
    return;
  }
  location.reload();
}
