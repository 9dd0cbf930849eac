// Shows a shopper's card page in a frame on the merchant's page (docs/card-page.md#in-your-page). It is a script of its own, so
// that pages that only take payments do not load it.

import {
  type FromForm,
  type LoadErrorCode,
  MESSAGE_SOURCE,
  MESSAGE_VERSION,
} from "../../../form/generated/wire.ts";
import { createFrame, placeFor, setHeight } from "./frame.ts";
import { hostBackground } from "./host-background.ts";
import { createListeners, type Unsubscribe } from "./listeners.ts";
import { frameUrl, type MountOptions } from "./options.ts";

export type { CustomStyle } from "./custom-style.ts";
export type { Unsubscribe } from "./listeners.ts";
export type { CardformOptions } from "./options.ts";

/** The options of `mountCards`. `options` are those of the form that adds a card. */
export interface MountCardsOptions extends Omit<MountOptions, "clientSecret" | "onChallenge"> {
  /** `client_secret` of the card session, from your server. */
  readonly clientSecret: string;
}

/** Why the card page does not appear. */
export type CardsErrorCode = LoadErrorCode | "load-timeout";

/** The events and their details. */
export interface CardsEvents {
  /** The card page is there. */
  load: undefined;
  /** The shopper added, changed or removed a card. */
  "cards-changed": undefined;
  /** The session has expired. Show the cards of another session, or what your page shows without cards. */
  "session-expired": undefined;
  /** The page's height in CSS pixels; the frame follows by itself. */
  resize: { readonly height: number };
  /** The card page does not appear. */
  error: { readonly code: CardsErrorCode };
}

/** A card page on the merchant's page. */
export interface Cards {
  /** Calls `listener` at each such event until the returned function is called. */
  on<Name extends keyof CardsEvents>(name: Name, listener: (detail: CardsEvents[Name]) => void): Unsubscribe;
  /** Removes it. */
  unmount(): void;
}

/** How long the card page may take, in milliseconds. */
const LOAD_MS_MAX = 15_000;

/** The height before the page tells its own: the title, a card and the button, in CSS pixels. */
const FIRST_HEIGHT_PX = 210;

/** The greatest height that is accepted, in CSS pixels. A shopper may have many cards. */
const HEIGHT_MAX_PX = 20_000;

/**
 * Shows the card page of a session inside `target`, an element or the selector of one.
 * Throws when there is no such element, when it has a frame of Cardform already, or when `url` is not a web address.
 */
export function mountCards(target: string | Element, options: MountCardsOptions): Cards {
  const container = placeFor(target);
  const url = frameUrl(options, location.href, Date.now(), hostBackground(container));
  // A browser sends the fragment to no server.
  url.hash = `client_secret=${encodeURIComponent(options.clientSecret)}`;
  const name = `cardform-${Math.random()}`;
  const frame = createFrame(url, name, options.title ?? "Saved cards", FIRST_HEIGHT_PX);
  const { on, emit, clear } = createListeners<CardsEvents>();
  let loaded = false;

  function receive(message: FromForm): void {
    switch (message.type) {
      case "user-loaded":
        clearTimeout(loadTimer);
        frame.title = options.title ?? message.title ?? frame.title;
        if (!loaded) {
          loaded = true;
          emit("load");
        }
        break;
      case "load-error":
        clearTimeout(loadTimer);
        emit("error", { code: message.code });
        break;
      case "cards-changed":
        emit("cards-changed");
        break;
      case "card-session-expired":
        emit("session-expired");
        break;
      case "resize":
        if (isHeight(message.height)) {
          setHeight(frame, message.height);
          emit("resize", { height: message.height });
        }
    }
  }

  /** Only messages of this frame's own page are read. */
  function onMessage({ source, origin, data }: MessageEvent): void {
    const isOurs =
      source !== null &&
      source === frame.contentWindow &&
      origin === url.origin &&
      data?.source === MESSAGE_SOURCE &&
      data.version === MESSAGE_VERSION &&
      data.frame === name;
    if (isOurs) {
      receive(data);
    }
  }

  const loadTimer = setTimeout(() => emit("error", { code: "load-timeout" }), LOAD_MS_MAX);
  addEventListener("message", onMessage);
  container.append(frame);
  return {
    on,
    unmount() {
      clearTimeout(loadTimer);
      removeEventListener("message", onMessage);
      frame.remove();
      clear();
    },
  };
}

function isHeight(height: unknown): boolean {
  return typeof height === "number" && height >= 0 && height <= HEIGHT_MAX_PX;
}
