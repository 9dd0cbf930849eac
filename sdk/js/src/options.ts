// The options of `mount`, and the address of the form's page that is made from them (docs/form.md#query).

import type { BrandName } from "../../../form/generated/rules.ts";
import type { Features } from "../../../form/generated/wire.ts";
import type { CustomStyle } from "./custom-style.ts";
import type { Challenge } from "./own-challenge.ts";

/** Options of the integration (docs/form.md#options). */
export interface CardformOptions {
  /** Asks for the cardholder's name. Off if absent. */
  readonly showCardholderName?: boolean;
  /** Asks for the cardholder's email. Off if absent. */
  readonly showCardholderEmail?: boolean;
  /** The email that is filled in at the start. */
  readonly cardholderEmail?: string;
  /** Your id of the shopper's browser, for experiments. */
  readonly cookieId?: string;
  /** Your site at the fraud prevention. */
  readonly siteId?: string;
  /** `"AA"`, the default, repairs colors with too little contrast; `null` leaves them as they are. */
  readonly contrast?: "AA" | null;
  /**
   * The colors that `customStyle` does not set: light, dark, or as the shopper's system has it. Left out they are light
   * or dark as your page is where the form stands.
   */
  readonly colorMode?: "light" | "dark" | "system";
  /** With false the form sends no events. True if absent. */
  readonly tracking?: boolean;
  /** Attributes for every event: `{ plan: "gold" }`. They must not say who the shopper is. */
  readonly eventAttributes?: Readonly<Record<string, string | number | boolean>>;
  /** The first text of the name field. */
  readonly cardholderName?: string;
  /** Whether the shopper cannot change the `cardholderEmail` that you pass. */
  readonly cardholderEmailReadOnly?: boolean;
  /**
   * Asks for the postal code. `"auto"` asks only if the charge's `payment_method_country_code` is US, CA or GB. Off if
   * absent.
   */
  readonly showPostalCode?: "auto" | boolean;
  /** The first text of the postal code's field. */
  readonly postalCode?: string;
  /**
   * The network that is preselected if a card has two: the first one of the list that the card has. The shopper can change
   * it.
   */
  readonly preferredNetworks?: readonly BrandName[];
  /** Whether the form shows no title. Screen readers still read it. */
  readonly hideTitle?: boolean;
  /**
   * Your own words, by the keys of the message files: `{ card_number: "Your card" }`, or by locale:
   * `{ "fr-FR": { card_number: "Votre carte" } }`.
   */
  readonly texts?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** Forces experiments on or off; a server outside demo mode ignores it. */
  readonly features?: Readonly<Partial<Features>>;
}

/** The client secret of the charge, or a function that fetches it, so that an expired one is replaced. */
export type ClientSecret = string | (() => string | Promise<string>);

/** The options of `mount`. */
export interface MountOptions {
  /** Where Cardform is served: `https://pay.example`. Messages go only to this origin and come only from it. */
  readonly url: string;
  /** `payload` of the charge, from your server. */
  readonly payload: string;
  /** `client_secret` of the charge, or a function that asks your server for it each time the form needs one. */
  readonly clientSecret: ClientSecret;
  /** Options of the integration. */
  readonly options?: CardformOptions;
  /** The form's language: `fr-FR`. The browser's if absent. */
  readonly locale?: string;
  /** The form's look. */
  readonly customStyle?: CustomStyle;
  /** The frame's name for screen readers. "Card payment" in the shopper's language if absent. */
  readonly title?: string;
  /**
   * Shows the bank's 3-D Secure challenge itself. If it is absent, returns false or fails, the SDK shows the challenge in a
   * dialog over your page.
   */
  readonly onChallenge?: (challenge: Challenge) => unknown;
}

/**
 * The address of the form's page for these options in front of `host` (see `hostBackground`), opened at `startedAt`
 * (milliseconds since 1970).
 * Throws a `TypeError` when `url` is neither an `http:` or `https:` address nor a path.
 */
export function frameUrl(
  mount: Omit<MountOptions, "clientSecret">,
  pageUrl: string,
  startedAt: number,
  host: string,
): URL {
  // Without its scheme a host would be a path of this page's own origin.
  if (!/^(https?:\/)?\//i.test(mount.url) || !URL.canParse(mount.url, pageUrl)) {
    throw new TypeError(`Cardform: url "${mount.url}" is no web address`);
  }
  const url = new URL(mount.url, pageUrl);
  const parameters = {
    payload: mount.payload,
    options: JSON.stringify(wireOptions(mount, host)),
    ...(mount.customStyle && { customStyle: JSON.stringify(mount.customStyle) }),
    init_time: startedAt,
  };
  // The campaign of the merchant's page (docs/tracking.md#metadata), whose address the frame cannot see.
  const campaign = pageUrl.match(/(?<=[?&])(cid|campaign_id|utm_\w+)=[^&#]*/g) ?? [];
  // Not with URLSearchParams: it writes a space as "+", which decoders of URLs read as a plus sign.
  const own = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  url.search = [...own, ...campaign].join("&");
  return url;
}

/**
 * The form's height in CSS pixels without errors, so that the page does not move when the form arrives. `coarse` is true
 * on touch screens, where the form is larger.
 */
export function reservedHeight(options: CardformOptions = {}, coarse = false): number {
  // Each option `show…` asks for one more field.
  const rows = Object.entries(options).filter(([name, shows]) => shows && /^show/.test(name)).length;
  // Measured on the form in its default theme: its title and first two rows, and each further row.
  return coarse ? 249 + 97 * rows : 210 + 88.5 * rows;
}

/**
 * The options for the form's page. The server reads their names in both spellings, `cookieId` and `cookie_id`. It names those
 * that it does not know, and those of `mount`, for which it needs the names in `given`; these also tell it that the SDK asks.
 */
export function wireOptions(mount: Pick<MountOptions, "options" | "locale">, host: string) {
  const { options, locale } = mount;
  return {
    locale,
    ...options,
    host_background: host,
    given: Object.keys(mount),
  };
}
