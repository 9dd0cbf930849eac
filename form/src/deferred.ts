// Work after the page can be used: tracking, newer builds, scripts fetched ahead. A separate script, which is needed last.

import type { FormPage } from "../generated/wire.ts";
import { FAILED_EVENT, reloadOnce } from "./builds/failed-chunk.ts";
import { type Connection, followBuilds } from "./builds/follow-builds.ts";
import type { FormStore } from "./form-store.ts";
import type { LookUps } from "./look-ups.ts";
import { writeNotes } from "./notes.ts";
import { tellChanges } from "./parent/form-change.ts";
import type { Backlog } from "./tracking/backlog.ts";
import { startTracking } from "./tracking/start-tracking.ts";

export function startDeferred(
  page: FormPage,
  store: FormStore,
  lookUps: LookUps,
  listen: Backlog["listen"],
): void {
  tellChanges(store, lookUps.post);
  startTracking(page, store, lookUps, listen);
  const { connection } = navigator as { readonly connection?: Connection };
  writeNotes(page);
  let isLeaving = false;
  window.addEventListener("beforeunload", () => {
    isLeaving = true;
  });
  window.addEventListener(FAILED_EVENT, () => reloadOnce(isUntouched(store) && !isLeaving));
  followBuilds(page.context.build_id, connection);
  fetchAhead(chunksOf(page, store), connection);
}

/**
 * Fetches scripts that may be needed later, while the connection works (docs/form.md#newer-builds), unless the shopper saves
 * data or has a slow connection.
 */
export function fetchAhead(chunks: ReturnType<typeof chunksOf>, connection: Connection | undefined): void {
  if (connection?.saveData || connection?.effectiveType?.includes("2g")) {
    return;
  }
  for (const load of chunks) {
    // One that fails is loaded again when it is needed, and its error is handled there.
    load().catch(() => {});
  }
}

function isUntouched({ config, state }: FormStore): boolean {
  const { fields, submission } = state();
  const typed = Object.entries(fields).some(
    ([name, { text }]) => text !== "" && text !== (config.prefill as Record<string, string>)[name],
  );
  return !typed && submission.phase === "open";
}

/** All are fetched at once, so there are at most four. */
export function chunksOf(page: FormPage, { config }: FormStore): readonly (() => Promise<unknown>)[] {
  return [
    () => import("./i18n/load-language.ts"),
    ...(config.offersSavedCards ? [() => import("./payments/saved-cards.ts")] : []),
    ...(page.device_data_timeout_ms === null ? [] : [() => import("./payments/device-data-collection.ts")]),
  ];
}
