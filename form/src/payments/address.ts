// What opens the charge is in the fragment of the payment page's address, which browsers send to no server
// (docs/calls.md#client-secret): a link, which gets a client secret whenever one is needed, or a client secret.

/** What the address has. */
export interface OpenedBy {
  readonly clientSecret: string | null;
  readonly link: string | null;
}

/**
 * Takes the link or the client secret out of the page's address, so that it cannot be read or copied there or found in the
 * list of visited pages. The history entry keeps it for a reload or for coming back: only this tab can read the entry, and
 * it ends with the tab. In `sessionStorage` all our pages in the tab could read it.
 */
export function takeSecret({ history, location }: Pick<Window, "history" | "location">): OpenedBy {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const opened = { clientSecret: fragment.get("client_secret"), link: fragment.get("link") };
  if (opened.clientSecret === null && opened.link === null) {
    const { clientSecret, link }: Record<string, unknown> = history.state ?? {};
    return { clientSecret: textOf(clientSecret), link: textOf(link) };
  }
  fragment.delete("client_secret");
  fragment.delete("link");
  const rest = fragment.size > 0 ? `#${fragment}` : "";
  history.replaceState(opened, "", location.pathname + location.search + rest);
  return opened;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
