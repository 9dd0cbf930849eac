// The channel to the page that embeds the form. The standalone page has no parent and posts to nobody.

import type { FromForm, FromParent, LoadErrorCode, Variant } from "../../generated/wire.ts";
import { envelope, parseFromParent } from "./messages.ts";
import { isAllowed } from "./origins.ts";

export interface Channel {
  /** Tells the parent, if there is one. */
  readonly post: (message: FromForm) => void;
}

export interface ChannelOptions {
  /** The origins that may drive the form; none named: any (docs/messages.md#who-is-heard). */
  readonly allowedOrigins: readonly string[];
  readonly variant: Variant | null;
  /** A message of the parent's, and the parent's origin. */
  readonly onMessage: (message: FromParent, origin: string) => void;
}

/** Opens the channel between `page` and its parent. */
export function openChannel(page: Window, options: ChannelOptions): Channel {
  const { parent } = page;
  if (parent === page) {
    return { post: () => {} };
  }
  // The SDK names the frame; a form that was embedded without it names itself.
  const frame = page.name === "" ? crypto.randomUUID() : page.name;
  let origin = parentOrigin(page);
  page.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (event.source !== parent || !isAllowed(event.origin, options.allowedOrigins)) {
      return;
    }
    // Where the browser does not tell the parent's origin, its first message does.
    origin = event.origin;
    const message = parseFromParent(event.data, frame, options.variant);
    if (message !== null) {
      options.onMessage(message, event.origin);
    }
  });
  return {
    post: (message) => {
      for (const target of targetOrigins(options.allowedOrigins, origin)) {
        parent.postMessage(envelope(message, frame, options.variant), target);
      }
    },
  };
}

/** Tells whoever embeds the page that it cannot be used. It says nothing of the charge, so it may go to anybody. */
export function tellOfLoadError({ parent, name }: Window, code: LoadErrorCode): void {
  if (parent !== window) {
    parent.postMessage(envelope({ type: "load-error", code }, name, null), "*");
  }
}

/**
 * The origins that messages are addressed to: the parent's own when it is one of the allowed, otherwise every allowed
 * one, of which the browser delivers to the parent's only. One with a star is none that a message can be addressed to.
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

/** The parent's origin where the browser tells it. */
function parentOrigin(page: Window): string | null {
  const ancestor = page.location.ancestorOrigins?.[0];
  if (ancestor !== undefined) {
    return ancestor;
  }
  try {
    return new URL(page.document.referrer).origin;
  } catch {
    return null;
  }
}
