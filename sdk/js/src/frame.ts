// The frame that the form is shown in: without a border, as tall as the form, and see-through.

/** What the frame is made from. */
export interface FrameSettings {
  /** The form's page. */
  readonly url: URL;
  /** The frame's id; the page inside reads it as `window.name`. */
  readonly name: string;
  /** For screen readers. */
  readonly title: string;
  /** In CSS pixels, until the form tells its own. */
  readonly height: number;
}

/** A frame for the form, not yet on the page. */
export function createFrame({ url, name, title, height }: FrameSettings): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.name = name;
  frame.title = title;
  // The form learns this page's origin from the referrer where the browser has no `ancestorOrigins`. It gets the
  // origin even from a page that sends no referrers, and never the path or the query.
  frame.referrerPolicy = "origin";
  // Through the CSSOM, because a strict content security policy forbids the style attribute.
  // A frame whose scheme differs from its document's gets an opaque box: white on a dark page. The document is pinned to
  // light, too, and dark inside of it where the form is.
  frame.style.cssText = "display:block;width:100%;border:0;color-scheme:light";
  setHeight(frame, height);
  frame.src = url.href;
  return frame;
}

/** Makes the frame as tall as the form, at once. */
export function setHeight(frame: HTMLIFrameElement, heightPx: number): void {
  frame.style.height = `${Math.ceil(heightPx)}px`;
}

/** An id that no other frame on the page has, not even one of another copy of the SDK. */
export function uniqueFrameName(): string {
  return `cardform-${Math.random()}`;
}
