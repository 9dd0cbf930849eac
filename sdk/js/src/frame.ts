// The frame of the form: without a border, as tall as the form, and transparent.

/** The element for the frame. Throws when there is none, or when it has a frame already. */
export function placeFor(target: string | Element): Element {
  // On a server there is no document.
  const container = typeof target === "string" ? globalThis.document?.querySelector(target) : target;
  if (!container) {
    throw new Error(`Cardform: no ${target} here`);
  }
  if (container.querySelector("[name^=cardform-]")) {
    throw new Error("Cardform: unmount() first");
  }
  return container;
}

/**
 * A frame for the form at `url`, not yet on the page. The page inside reads `name` as `window.name`; `title` is for screen
 * readers. The frame has the height `heightPx` until the form tells its own.
 */
export function createFrame(url: URL, name: string, title: string, heightPx: number): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.name = name;
  frame.title = title;
  // In browsers without `ancestorOrigins` the form reads this page's origin from the referrer. This sends the origin even if
  // the page sends no referrers, and never the path or the query.
  frame.referrerPolicy = "origin";
  // Through the CSSOM, because a strict content security policy forbids the style attribute.
  // If the color scheme of a frame differs from its document's, browsers fill the frame: white on a dark page. So both are
  // light; a dark form sets its own colors.
  frame.style.cssText = "display:block;width:100%;border:0;color-scheme:light";
  // A page with a `Cross-Origin-Embedder-Policy` may show the form only so, without cookies.
  (frame as CredentiallessFrame).credentialless = crossOriginIsolated;
  setHeight(frame, heightPx);
  frame.src = url.href;
  return frame;
}

/** A frame of browsers that have this attribute; the others ignore it. */
export type CredentiallessFrame = HTMLIFrameElement & { credentialless?: boolean };

/** Sets the frame's height to the form's. */
export function setHeight(frame: HTMLIFrameElement, heightPx: number): void {
  frame.style.height = `${Math.ceil(heightPx)}px`;
}
