// The functions of a browser that the test helpers use. Only the adapter of a test runner knows the runner.

/** Where an element is. */
export interface ElementAddress {
  /** CSS selectors of the frames that lead from the page to the element's document, outermost first. */
  readonly frames: readonly string[];
  /** The element's CSS selector. If it matches more than one, the first is meant. */
  readonly selector: string;
}

/** Whether an element is on the page, and whether it is shown. */
export type ElementState = "absent" | "hidden" | "visible";

/** Drives a browser. Implement it to use the helpers with another runner than Playwright and Selenium. */
export interface FormDriver {
  /** The element's state now. It does not wait, and an absent frame makes the element absent. */
  readonly stateOf: (element: ElementAddress) => Promise<ElementState>;
  /** Replaces the text in the input. */
  readonly fill: (element: ElementAddress, text: string) => Promise<void>;
  readonly click: (element: ElementAddress) => Promise<void>;
  /** Evaluates a JavaScript expression in the page, and returns its value, which is JSON. */
  readonly evaluate: (expression: string) => Promise<unknown>;
}

/** How long the helpers wait for the page if the caller does not say, in milliseconds. */
export const TIMEOUT_MS = 30_000;

/** How often the helpers look, in milliseconds. */
const INTERVAL_MS = 50;

/** Calls `look` until it returns something. Throws if that takes longer than `timeoutMs`. */
export async function until<T>(
  look: () => Promise<T | undefined>,
  timeoutMs: number,
  awaited: string,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) {
      return found;
    }
    if (Date.now() > deadline) {
      throw new Error(`Cardform: ${awaited} did not appear within ${timeoutMs} ms.`);
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

/** The result of `work`, which a runner may never end. After `timeoutMs` it throws with what has `failed` so far. */
export async function within<T>(work: Promise<T>, timeoutMs: number, failed: () => string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Cardform: ${failed()} within ${timeoutMs} ms.`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the element is visible now. */
export async function isVisible(driver: FormDriver, element: ElementAddress): Promise<boolean> {
  return (await driver.stateOf(element)) === "visible";
}
