// The standalone page's client secret stands in the address's fragment, which no server ever sees
// (docs/calls.md#client-secret).

/** What the history entry of the page keeps. */
interface Kept {
  readonly clientSecret?: unknown;
}

/**
 * The client secret of the page's address, which is then gone from it: nobody reads it over a shoulder, copies it with the
 * address or finds it among the visited pages. The history entry keeps it, so that the page can be loaded again or come
 * back to: an entry is its own tab's, no other site reads it, and it goes when the tab is closed. `sessionStorage` would
 * be read by every page of ours in the tab.
 */
export function takeSecret({ history, location }: Pick<Window, "history" | "location">): string | null {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const secret = fragment.get("client_secret");
  if (secret === null) {
    const kept = (history.state as Kept | null)?.clientSecret;
    return typeof kept === "string" ? kept : null;
  }
  fragment.delete("client_secret");
  const rest = fragment.size > 0 ? `#${fragment}` : "";
  history.replaceState(
    { clientSecret: secret } satisfies Kept,
    "",
    location.pathname + location.search + rest,
  );
  return secret;
}
