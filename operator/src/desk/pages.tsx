// A list that the service sends in pages: the first page at once, and each further one when the person asks for it.

import { useEffect, useRef, useState } from "react";
import { callJson, type ServiceError } from "../service.ts";

interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** How many pages without an item are read on by themselves. */
const EMPTY_PAGES_MAX = 20;

/** The list at `path` with the query `search`. `cursor` names the parameter of a further page. */
export function usePages<Item>(key: string, path: string, search: string, cursor: "after" | "before") {
  const none: ListPage<Item> = { items: [], next: null };
  const [state, setState] = useState({ list: none, error: null as ServiceError | null, isLoading: true });
  const request = useRef<AbortController | null>(null);

  const readFrom = (before: ListPage<Item>) => {
    request.current?.abort();
    const controller = new AbortController();
    request.current = controller;
    setState({ list: before, error: null, isLoading: true });
    readOn(before, controller.signal).then(
      ({ list, error }) => setState({ list, error, isLoading: false }),
      // A later request has aborted this one.
      () => undefined,
    );
  };

  /** Reads the next page. A page can have no items although more follow, so it reads on for a while. */
  const readOn = async (before: ListPage<Item>, signal: AbortSignal) => {
    let list = before;
    for (let page = 0; page < EMPTY_PAGES_MAX; page += 1) {
      const query = new URLSearchParams(search);
      if (list.next !== null) {
        query.set(cursor, list.next);
      }
      const { value, error } = await callJson<ListPage<Item>>(key, `${path}?${query}`, { signal });
      if (error !== null) {
        return { list, error };
      }
      list = { items: [...before.items, ...value.items], next: value.next };
      if (value.items.length > 0 || value.next === null) {
        break;
      }
    }
    return { list, error: null };
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: a search is fetched when it changes
  useEffect(() => {
    readFrom(none);
    return () => request.current?.abort();
  }, [key, search]);
  return { ...state, readMore: () => readFrom(state.list) };
}

/** The button below a list that has further pages. */
export function ShowMore({ list, isLoading, readMore }: ReturnType<typeof usePages>) {
  return (
    list.next !== null && (
      <p className="found-more">
        <button type="button" onClick={() => isLoading || readMore()} aria-disabled={isLoading}>
          {isLoading ? "Looking…" : "Show more"}
        </button>
      </p>
    )
  );
}
