// The payment page's client secret is in the fragment of its address, which browsers send to no server
// (docs/calls.md#client-secret).

/**
 * Takes the client secret out of the page's address, so that it cannot be read or copied there or found in the list of
 * visited pages. The history entry keeps it for a reload or for coming back: only this tab can read the entry, and it ends
 * with the tab. In `sessionStorage` all our pages in the tab could read it.
 */
export function takeSecret({ history, location }: Pick<Window, "history" | "location">): string | null {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const secret = fragment.get("client_secret");
  if (secret === null) {
    const kept: unknown = history.state?.clientSecret;
    return typeof kept === "string" ? kept : null;
  }
  fragment.delete("client_secret");
  const rest = fragment.size > 0 ? `#${fragment}` : "";
  history.replaceState({ clientSecret: secret }, "", location.pathname + location.search + rest);
  return secret;
}
