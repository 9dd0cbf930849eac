// Learns of newer builds (docs/form.md#newer-builds): fetches this build's manifest once, and the latest build's id every
// hour.

const CHECK_MS = 60 * 60 * 1_000;

/** The window's event when the server has another build than the page. Its detail has that build's id. */
export const UPDATED_EVENT = "app-manifest-updated";

/** Asks for builds after `id`. A new one raises `UPDATED_EVENT` once. A failed request is made again an hour later. */
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

/** What some browsers tell about the connection. */
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
