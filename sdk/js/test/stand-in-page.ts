// A page small enough to test the SDK without a browser: one container, frames, and the messages between them.

import { vi } from "vitest";
import type { FromForm } from "../../../form/generated/wire.ts";
import type { envelope } from "../src/message.ts";

/** A message as the form received it, and the origin that it was addressed to. */
export interface ReceivedByForm {
  readonly message: ReturnType<typeof envelope>;
  readonly targetOrigin: string;
}

/** A frame as the SDK made it. */
export class StandInFrame {
  name = "";
  title = "";
  referrerPolicy = "";
  src = "";
  readonly style: Record<string, string> = {};
  readonly posted: ReceivedByForm[] = [];
  /** The window inside; null once the frame has left the page, as in a browser. */
  contentWindow: { postMessage(message: ReturnType<typeof envelope>, targetOrigin: string): void } | null = {
    postMessage: (message, targetOrigin) => {
      this.posted.push({ message, targetOrigin });
    },
  };

  remove(): void {
    this.contentWindow = null;
  }

  /** The messages to the form, without the envelope's constant parts. */
  get heard(): string[] {
    return this.posted.map(({ message }) => message.type);
  }
}

/** The page. */
export class StandInPage {
  readonly frames: StandInFrame[] = [];
  readonly container = this.#element();
  /** The background of the page behind the form. */
  background = "rgb(255, 255, 255)";
  /** The picture or gradient on that background. */
  picture = "none";
  readonly #listeners = new Set<(event: unknown) => void>();

  /** `coarse` says that the shopper points with a finger. */
  constructor(coarse = false) {
    vi.stubGlobal("matchMedia", (query: string) => ({ matches: coarse && query === "(pointer:coarse)" }));
    vi.stubGlobal("crossOriginIsolated", false);
    vi.stubGlobal("navigator", { languages: ["en-US"] });
    vi.stubGlobal("location", { href: "https://shop.example/cart?id=7" });
    vi.stubGlobal("getComputedStyle", () => ({
      backgroundColor: this.background,
      backgroundImage: this.picture,
      color: "rgb(250, 250, 250)",
    }));
    vi.stubGlobal("document", {
      documentElement: {},
      createElement: () => new StandInFrame(),
      querySelector: (selector: string) => (selector === "#card" ? this.container : null),
    });
    vi.stubGlobal("addEventListener", (_: string, listener: (event: unknown) => void) =>
      this.#listeners.add(listener),
    );
    vi.stubGlobal("removeEventListener", (_: string, listener: (event: unknown) => void) =>
      this.#listeners.delete(listener),
    );
  }

  /** An element that keeps the frames in it. */
  #element(): Element {
    const own: StandInFrame[] = [];
    const element = {
      append: (frame: StandInFrame) => {
        own.push(frame);
        this.frames.push(frame);
      },
      querySelector: () => own.find(({ contentWindow }) => contentWindow !== null) ?? null,
      parentElement: null,
    };
    return element as unknown as Element;
  }

  /** Adds another element, and returns it. */
  another(): Element {
    return this.#element();
  }

  /** The frame that was put on the page last. */
  get frame(): StandInFrame {
    const frame = this.frames.at(-1);
    if (!frame) {
      throw new Error("no frame was put on the page");
    }
    return frame;
  }

  /** How many listen to messages. */
  get listening(): number {
    return this.#listeners.size;
  }

  /** Delivers a message event to the page. */
  deliver(event: { source: unknown; origin: string; data: unknown }): void {
    for (const listener of this.#listeners) {
      listener(event);
    }
  }

  /** The form in `frame` says `message`. */
  say(message: FromForm, frame: StandInFrame = this.frame): void {
    const { contentWindow: source, name } = frame;
    const data = { source: "cardform", version: 1, frame: name, ...message };
    this.deliver({ source, origin: "https://pay.example", data });
  }

  /** The form has loaded and says whether it is ready. */
  load(ready: boolean, frame: StandInFrame = this.frame): void {
    this.say({ type: "user-loaded" }, frame);
    this.say({ type: "form-ready-state", ready }, frame);
  }
}

/** Lets resolved promises run their callbacks. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    await Promise.resolve();
  }
}
