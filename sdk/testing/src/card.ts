// Fills in the form's fields.

import type { FieldId } from "../../../form/generated/rules.ts";
import { type ElementAddress, type FormDriver, isVisible, TIMEOUT_MS, until, within } from "./driver.ts";
import { driverOf, type PlaywrightPlace } from "./playwright.ts";

/** The shopper's entries. An absent field stays as it is. */
export interface CardEntry {
  readonly number?: string;
  /** `12/30`, or as the form shows it: `12 / 30`. */
  readonly expiry?: string;
  readonly securityCode?: string;
  readonly holderName?: string;
  readonly postalCode?: string;
  readonly holderEmail?: string;
  /** Whether the card is saved for the next time. */
  readonly save?: boolean;
}

/** Where the form is, and how long to wait for it. */
export interface FillOptions {
  /** The CSS selector of the form's frame, if the page has more than one form: `#gift iframe`. */
  readonly frame?: string;
  /** How long the form may take to appear, in milliseconds. Default: 30 000. */
  readonly timeoutMs?: number;
}

/** The SDK gives its frames such names. */
const SDK_FRAME = 'iframe[name^="cardform-"]';

/** The form's inputs. */
const INPUTS = [
  ["number", "#card-number"],
  ["expiry", "#card-expiry"],
  ["securityCode", "#card-security-code"],
  ["holderName", "#card-holder-name"],
  ["postalCode", "#card-postal-code"],
  ["holderEmail", "#card-holder-email"],
] as const satisfies readonly (readonly [keyof CardEntry, `#${FieldId}`])[];

const NUMBER = "#card-number";
const NEW_CARD = "#pay-with-new-card";
const SAVE = "#save-card";

/**
 * Waits for the form and fills in the card. `place` is a page with the form, a frame of Playwright, Cardform's payment
 * page, or a driver. If saved cards are shown, it changes to a new card first.
 */
export async function fillCard(
  place: PlaywrightPlace | FormDriver,
  card: CardEntry,
  { frame, timeoutMs = TIMEOUT_MS }: FillOptions = {},
): Promise<void> {
  const driver = driverOf(place);
  let failed = "the card form did not appear";
  const fill = async () => {
    const form = await findForm(driver, frame, timeoutMs);
    for (const [key, selector] of INPUTS) {
      const text = card[key];
      if (text !== undefined) {
        failed = `${selector} could not be filled in`;
        await driver.fill({ ...form, selector }, text);
      }
    }
    if (card.save !== undefined) {
      failed = `${SAVE} could not be pressed`;
      await setSaved(driver, { ...form, selector: SAVE }, card.save);
    }
  };
  await within(fill(), timeoutMs, () => failed);
}

/** The address of the form's card number, once it can be filled in. */
async function findForm(
  driver: FormDriver,
  frame: string | undefined,
  timeoutMs: number,
): Promise<ElementAddress> {
  const places = frame === undefined ? [[], [SDK_FRAME]] : [[frame]];
  return until(
    async () => {
      for (const frames of places) {
        if (await isVisible(driver, { frames, selector: NUMBER })) {
          return { frames, selector: NUMBER };
        }
        if (await isVisible(driver, { frames, selector: NEW_CARD })) {
          await driver.click({ frames, selector: NEW_CARD });
        }
      }
      return undefined;
    },
    timeoutMs,
    "the card form",
  );
}

async function setSaved(driver: FormDriver, box: ElementAddress, save: boolean): Promise<void> {
  const checked = { ...box, selector: `${box.selector}:checked` };
  if (((await driver.stateOf(checked)) !== "absent") !== save) {
    await driver.click(box);
  }
}
