// The options of `mount`, and the address of the form's page that is made from them (docs/form.md#query).

import type { Features, FormOptions as WireOptions } from "../../../form/generated/wire.ts";
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
  /** The frame's name for screen readers. "Card payment" if absent. */
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
 * Throws a `TypeError` when `url` is not an `http:` or `https:` address.
 */
export function frameUrl(mount: MountOptions, pageUrl: string, startedAt: number, host: string): URL {
  const url = new URL(mount.url, pageUrl);
  if (!/^https?:$/.test(url.protocol)) {
    throw new TypeError("Cardform: unusable `url`.");
  }
  const parameters = {
    payload: mount.payload,
    options: JSON.stringify(wireOptions(mount, host)),
    ...(mount.customStyle && { customStyle: JSON.stringify(mount.customStyle) }),
    init_time: startedAt,
  };
  // The campaign of the merchant's page (docs/tracking.md#metadata), whose address the frame cannot see.
  const campaign = [...new URL(pageUrl).searchParams].filter(([name]) =>
    /^(cid|campaign_id|utm_\w+)$/.test(name),
  );
  // Not with URLSearchParams: it writes a space as "+", which decoders of URLs read as a plus sign.
  url.search = [...Object.entries(parameters), ...campaign]
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  return url;
}

/**
 * The form's height in CSS pixels without errors, so that the page does not move when the form arrives. `coarse` is true
 * on touch screens, where the form is larger.
 */
export function reservedHeight(options: CardformOptions = {}, coarse = false): number {
  const [base, field] = coarse ? COARSE_PX : FINE_PX;
  return base + field * ((options.showCardholderName ? 1 : 0) + (options.showCardholderEmail ? 1 : 0));
}

/** Measured on the form in its default theme: its title and first two rows, and each further row. */
const FINE_PX = [210, 88.5] as const;
const COARSE_PX = [231, 97] as const;

/** Options that are absent have the server's default. */
type SentOptions = { readonly [Name in keyof WireOptions]?: WireOptions[Name] | undefined };

/** Writes each option in the form's spelling: `cookieId` becomes `cookie_id`. The form ignores unknown options. */
export function wireOptions(
  { options = {}, locale }: Pick<MountOptions, "options" | "locale">,
  host: string,
): SentOptions {
  const named = Object.entries(options).map(([name, value]) => [
    name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
    value,
  ]);
  return {
    ...Object.fromEntries(named),
    locale,
    contrast: options.contrast === null ? undefined : "AA",
    host_background: host,
  };
}
