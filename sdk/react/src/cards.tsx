// The card page for React: a component that shows a shopper's saved cards.

import { type Cards, type CardsEvents, type MountCardsOptions, mountCards } from "@cardform/js/cards";
import { createElement, type ReactElement, useEffect, useRef } from "react";

export type * from "@cardform/js/cards";

/** The component's properties: the options of `mountCards`, and a listener for each event. */
export interface CardListProps extends MountCardsOptions {
  /** Of the element around the frame. */
  readonly id?: string;
  /** Of the element around the frame. */
  readonly className?: string;
  /** The card page is there. */
  readonly onLoad?: CardsListener<"load">;
  /** The shopper added, changed or removed a card. */
  readonly onCardsChanged?: CardsListener<"cards-changed">;
  /** The session has expired. Give the component another one. */
  readonly onSessionExpired?: CardsListener<"session-expired">;
  /** The page's height has changed. */
  readonly onResize?: CardsListener<"resize">;
  /** The card page does not appear. */
  readonly onError?: CardsListener<"error">;
}

type CardsListener<Name extends keyof CardsEvents> = (detail: CardsEvents[Name]) => void;

const EVENTS = [
  ["load", "onLoad"],
  ["cards-changed", "onCardsChanged"],
  ["session-expired", "onSessionExpired"],
  ["resize", "onResize"],
  ["error", "onError"],
] as const;

/**
 * A shopper's saved cards. Another session, look or language makes a new frame; values are compared by their content. The
 * listeners may be new functions at each render.
 */
export function CardList(props: CardListProps): ReactElement {
  const { id, className, url, payload, clientSecret, title, locale, options, customStyle } = props;
  const container = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  const shown = JSON.stringify([url, payload, clientSecret, title, locale, options, customStyle]);

  useEffect(() => {
    latest.current = props;
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: `shown` is the content of what the frame depends on.
  useEffect(() => {
    const mounted: Cards = mountCards(container.current as HTMLDivElement, latest.current);
    for (const [name, listener] of EVENTS) {
      mounted.on(name, (detail) =>
        (latest.current[listener] as CardsListener<typeof name>)?.(detail as never),
      );
    }
    return () => mounted.unmount();
  }, [shown]);

  return createElement("div", { ref: container, id, className });
}
