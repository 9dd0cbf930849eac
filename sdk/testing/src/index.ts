// Pays with Cardform in a merchant's browser tests.

export { type CardEntry, type FillOptions, fillCard } from "./card.ts";
export type { ElementAddress, ElementState, FormDriver } from "./driver.ts";
export { type ChallengeAnswer, challenge, type PaymentResult, type PayOptions, pay } from "./payment.ts";
export type { PlaywrightLocator, PlaywrightPage, PlaywrightPlace } from "./playwright.ts";
export { type SeleniumBrowser, type SeleniumElement, seleniumDriver } from "./selenium.ts";
export { TEST_CARDS } from "./test-cards.ts";
