// The channel to the page that embeds the form. The payment page has no parent, so it posts nothing.

import type { FromForm, FromParent, LoadErrorCode, Variant } from "../../generated/wire.ts";
import { envelope, parseFromParent } from "./messages.ts";
import { isAllowed } from "./origins.ts";

export interface ChannelOptions {
  /** The origins that may embed the form; empty means any (docs/messages.md#who-is-heard). */
  readonly allowedOrigins: readonly string[];
  readonly variant: Variant | null;
  /** Called with each message from the parent and the parent's origin. */
  readonly onMessage: (message: FromParent, origin: string) => void;
}

/** Opens the channel between `page` and its parent. Returns the function that posts a message to the parent, if there is one. */
export function openChannel(page: Window, options: ChannelOptions): (message: FromForm) => void {
  const { parent } = page;
  if (parent === page) {
    return () => {};
  }
  // The SDK gives the frame a name. Without the SDK the form makes up an id.
  const frame = page.name === "" ? `${Math.random()}` : page.name;
  let origin = parentOrigin(page);
  page.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (event.source !== parent || !isAllowed(event.origin, options.allowedOrigins)) {
      return;
    }
    // Some browsers do not tell the parent's origin; then its first message does.
    origin = event.origin;
    const message = parseFromParent(event.data, frame, options.variant);
    if (message !== null) {
      options.onMessage(message, event.origin);
    }
  });
  return (message) => {
    for (const target of targetOrigins(options.allowedOrigins, origin)) {
      parent.postMessage(envelope(message, frame, options.variant), target);
    }
  };
}

/** Tells the parent that the page cannot be used. The message has nothing about the charge, so any origin may get it. */
export function tellOfLoadError({ parent, name }: Window, code: LoadErrorCode): void {
  if (parent !== window) {
    parent.postMessage(envelope({ type: "load-error", code }, name, null), "*");
  }
}

/**
 * The origins to which messages are posted: the parent's own if it is allowed. Otherwise every allowed origin, and the
 * browser delivers only to the parent's. A pattern with a star cannot be the target of a message.
 */
export function targetOrigins(
  allowedOrigins: readonly string[],
  parentOrigin: string | null,
): readonly string[] {
  if (allowedOrigins.length === 0) {
    return ["*"];
  }
  return parentOrigin !== null && isAllowed(parentOrigin, allowedOrigins)
    ? [parentOrigin]
    : allowedOrigins.filter((allowed) => !allowed.includes("*"));
}

function parentOrigin(page: Window): string | null {
  const ancestor = page.location.ancestorOrigins?.[0];
  if (ancestor !== undefined) {
    return ancestor;
  }
  const { referrer } = page.document;
  return URL.canParse(referrer) ? new URL(referrer).origin : null;
}
