// A script of the page that does not come, as after an update or on a bad network
// (docs/form.md#scripts-that-fail).

/** What happens on the window when a script does not come; raised by the build's own loader. */
export const FAILED_EVENT = "preload-error";
/** How long a path is not loaded again after it was. */
const GUARD_MS = 10_000;
const STORAGE_KEY = "cardform-reloaded";

/** Where a page is, what it remembers, and how it is loaded again. */
export interface ReloadEnvironment {
  readonly path: string;
  readonly storage: Pick<Storage, "getItem" | "setItem">;
  readonly now: () => number;
  readonly reload: () => void;
}

/**
 * Loads the page again, at most once for each path in ten seconds, and never under the hands of a shopper: what was
 * typed would be lost, and each of these scripts has something that stands in for it.
 */
export function reloadOnce(untouched: boolean, { path, storage, now, reload }: ReloadEnvironment): void {
  if (!untouched) {
    return;
  }
  try {
    const [reloaded, at] = (storage.getItem(STORAGE_KEY) ?? "").split(" ");
    if (reloaded === path && now() - Number(at) < GUARD_MS) {
      return;
    }
    storage.setItem(STORAGE_KEY, `${path} ${now()}`);
  } catch {
    // Without storage nothing holds a page back from loading itself again and again.
    return;
  }
  reload();
}
