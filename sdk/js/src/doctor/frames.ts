// The form's frames in a page, and the messages of each.

/** A frame of Cardform. */
export interface FormFrame {
  readonly element: HTMLIFrameElement;
  readonly url: URL;
}

/** The facts from a frame's messages. */
export interface Heard {
  /** The height that the form wants, in CSS pixels; 0 while it is not known. */
  height: number;
}

/** Every frame whose address is a form of `host`, also in open shadow roots. */
export function formFrames(root: Document | ShadowRoot, host: string): FormFrame[] {
  const found: FormFrame[] = [];
  for (const element of root.querySelectorAll("*")) {
    if (element instanceof HTMLIFrameElement && URL.canParse(element.src)) {
      const url = new URL(element.src);
      if (url.host === host && url.searchParams.has("payload")) {
        found.push({ element, url });
      }
    }
    if (element.shadowRoot) {
      found.push(...formFrames(element.shadowRoot, host));
    }
  }
  return found;
}

/** Notes the messages of windows at `origin`. */
export function listen(origin: string): WeakMap<object, Heard> {
  const heard = new WeakMap<object, Heard>();
  window.addEventListener("message", ({ source, origin: from, data }: MessageEvent<unknown>) => {
    if (source === null || from !== origin || typeof data !== "object" || data === null) {
      return;
    }
    const { type, height } = data as { readonly type?: unknown; readonly height?: unknown };
    const known = heard.get(source) ?? { height: 0 };
    if (type === "resize" && typeof height === "number") {
      known.height = height;
    }
    heard.set(source, known);
  });
  return heard;
}

/** The element around `element`, also out of a shadow root. */
export function around(element: Element): Element | null {
  const root = element.getRootNode();
  return element.assignedSlot ?? element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}
