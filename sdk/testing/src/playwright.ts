// The adapter for Playwright. Its types are structural, so `playwright`, `playwright-core` and `@playwright/test` fit.

import type { ElementAddress, FormDriver } from "./driver.ts";

/** The used methods of Playwright's `Locator`. */
export interface PlaywrightLocator {
  first(): PlaywrightLocator;
  count(): Promise<number>;
  isVisible(): Promise<boolean>;
  fill(text: string): Promise<void>;
  click(): Promise<void>;
}

/** Playwright's `Page`, `Frame` or `FrameLocator`. */
export interface PlaywrightPlace {
  locator(selector: string): PlaywrightLocator;
  frameLocator(selector: string): PlaywrightPlace;
}

/** Playwright's `Page` or `Frame`. */
export interface PlaywrightPage extends PlaywrightPlace {
  evaluate(expression: string): Promise<unknown>;
}

/** The driver for a place of Playwright, or the given driver itself. */
export function driverOf(place: PlaywrightPlace | FormDriver): FormDriver {
  return "stateOf" in place ? place : playwrightDriver(place);
}

function playwrightDriver(root: PlaywrightPlace): FormDriver {
  const locate = ({ frames, selector }: ElementAddress) => {
    let place = root;
    for (const frame of frames) {
      place = place.frameLocator(`${frame} >> nth=0`);
    }
    return place.locator(selector).first();
  };
  return {
    stateOf: async (element) => {
      const locator = locate(element);
      if ((await locator.count()) === 0) {
        return "absent";
      }
      return (await locator.isVisible()) ? "visible" : "hidden";
    },
    fill: (element, text) => locate(element).fill(text),
    click: (element) => locate(element).click(),
    evaluate: (expression) => {
      if (!("evaluate" in root)) {
        throw new TypeError("Cardform: pass the page, not a frame locator.");
      }
      return (root as PlaywrightPage).evaluate(expression);
    },
  };
}
