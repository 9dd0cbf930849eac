// Learns of newer builds (docs/form.md#newer-builds): this build's manifest once, the latest build's id each
// hour.

/** How often the latest build is asked for. */
const CHECK_MS = 60 * 60 * 1_000;

/** What happens on the window when the server has another build than the page; its detail has that build's id. */
export const UPDATED_EVENT = "app-manifest-updated";

/**
 * Fetches the manifest of the build `id`, unless the connection is the slowest there is, and from then on asks each hour
 * for the latest build. One that differs raises [`UPDATED_EVENT`], once for each. What fails is asked again an hour later.
 */
export function followBuilds(id: string, connection: Connection | undefined): void {
  if (connection?.effectiveType !== "slow-2g") {
    void answerOf(`/builds/meta/${id}.json`);
  }
  let known = id;
  setInterval(async () => {
    const latest = await answerOf(`/builds/latest.json?${Date.now()}`);
    if (typeof latest?.id === "string" && latest.id !== known) {
      known = latest.id;
      window.dispatchEvent(new CustomEvent(UPDATED_EVENT, { detail: { id: known } }));
    }
  }, CHECK_MS);
}

/** What browsers tell of the connection, where they do. */
export interface Connection {
  readonly effectiveType?: string;
  readonly saveData?: boolean;
}

async function answerOf(path: string): Promise<{ readonly id?: unknown } | null> {
  try {
    const response = await fetch(path);
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}
