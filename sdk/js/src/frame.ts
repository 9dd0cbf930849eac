// The frame of the form: without a border, as tall as the form, and transparent.

/** The settings of the frame. */
export interface FrameSettings {
  /** The form's page. */
  readonly url: URL;
  /** The frame's id; the page inside reads it as `window.name`. */
  readonly name: string;
  /** For screen readers. */
  readonly title: string;
  /** In CSS pixels, until the form tells its height. */
  readonly height: number;
}

/** A frame for the form, not yet on the page. */
export function createFrame({ url, name, title, height }: FrameSettings): HTMLIFrameElement {
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
  setHeight(frame, height);
  frame.src = url.href;
  return frame;
}

/** Sets the frame's height to the form's. */
export function setHeight(frame: HTMLIFrameElement, heightPx: number): void {
  frame.style.height = `${Math.ceil(heightPx)}px`;
}

/** An id that no other frame on the page has, even if another copy of the SDK made it. */
export function uniqueFrameName(): string {
  return `cardform-${Math.random()}`;
}
