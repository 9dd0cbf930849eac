// The adapter for Selenium's WebDriver. Its types are structural, so the package need not be installed.

import type { ElementAddress, ElementState, FormDriver } from "./driver.ts";

/** The used methods of Selenium's `WebElement`. */
export interface SeleniumElement {
  isDisplayed(): Promise<boolean>;
  click(): Promise<void>;
  clear(): Promise<void>;
  sendKeys(text: string): Promise<void>;
}

/** The used methods of Selenium's `WebDriver`. */
export interface SeleniumBrowser {
  findElements(by: { css: string }): Promise<SeleniumElement[]>;
  // `never`, because Selenium takes only its own elements here, whose type this package does not name.
  switchTo(): { defaultContent(): Promise<void>; frame(frame: never): Promise<void> };
  executeScript(script: string): Promise<unknown>;
}

/** A driver for Selenium: `fillCard(seleniumDriver(browser), card)`. It leaves the browser in the top document. */
export function seleniumDriver(browser: SeleniumBrowser): FormDriver {
  /** Finds the element, calls `act` with it while its frame is selected, and goes back to the top document. */
  async function at<T>(
    { frames, selector }: ElementAddress,
    act: (element: SeleniumElement | undefined) => Promise<T>,
  ): Promise<T> {
    try {
      for (const css of frames) {
        const [frame] = await browser.findElements({ css });
        if (!frame) {
          return await act(undefined);
        }
        await browser.switchTo().frame(frame as never);
      }
      const [element] = await browser.findElements({ css: selector });
      return await act(element);
    } finally {
      await browser.switchTo().defaultContent();
    }
  }

  /** Like `at`, for an element that must be there. */
  const use = (address: ElementAddress, act: (element: SeleniumElement) => Promise<void>) =>
    at(address, (element) => {
      if (!element) {
        throw new Error(`Cardform: there is no ${[...address.frames, address.selector].join(" ")}.`);
      }
      return act(element);
    });

  return {
    stateOf: (address) =>
      at<ElementState>(address, async (element) => {
        if (!element) {
          return "absent";
        }
        return (await element.isDisplayed()) ? "visible" : "hidden";
      }).catch((error: unknown) => {
        // The page has replaced the element or its frame in between.
        if (error instanceof Error && /^(StaleElementReference|NoSuchFrame|NoSuchWindow)/.test(error.name)) {
          return "absent";
        }
        throw error;
      }),
    fill: (address, text) =>
      use(address, async (input) => {
        await input.clear();
        await input.sendKeys(text);
      }),
    click: (address) => use(address, (element) => element.click()),
    evaluate: (expression) => browser.executeScript(`return ${expression}`),
  };
}
