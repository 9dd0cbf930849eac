// The part of the page that is shown, as the hash of the address says: a charge's address can be shared.

import { useSyncExternalStore } from "react";

export type Route =
  | { readonly page: "charges"; readonly query: URLSearchParams }
  | { readonly page: "charge"; readonly id: string }
  | { readonly page: "report" }
  | { readonly page: "audit" };

function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page, id] = path.split("/");
  if (page === "charges" && id) {
    return { page: "charge", id: decoded(id) };
  }
  if (page === "report" || page === "audit") {
    return { page };
  }
  return { page: "charges", query: new URLSearchParams(query) };
}

/** The id in a link; a damaged one as it is, so that the page says that there is no such charge. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** The hash of the search that was shown last, for the way back from a charge. */
let lastSearch = "#charges";
addEventListener("hashchange", ({ oldURL }) => {
  const { hash } = new URL(oldURL);
  if (readRoute(hash).page === "charges") {
    lastSearch = hash || "#charges";
  }
});
export const lastSearchHash = (): string => lastSearch;

const subscribe = (changed: () => void) => {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
};

/** The hash of the address; the page is drawn again when it changes. */
export function useHash(): string {
  return useSyncExternalStore(subscribe, () => location.hash);
}

/** The part of the page that the address names. */
export const useRoute = (): Route => readRoute(useHash());

export const chargeHash = (id: string): string => `#charges/${encodeURIComponent(id)}`;

/** The address of a search. Empty filters are left out. */
export function searchHash(filters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) {
    if (value !== "") {
      query.set(name, value);
    }
  }
  const text = query.toString();
  return text === "" ? "#charges" : `#charges?${text}`;
}
