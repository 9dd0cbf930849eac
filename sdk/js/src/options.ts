// What a merchant's page gives to `mount`, and the query that the form's page is opened with
// (docs/form.md#query).

import type { Features, FormOptions as WireOptions } from "../../../form/generated/wire.ts";
import type { CustomStyle } from "./custom-style.ts";

/** Options of the integration (docs/form.md#options). */
export interface FormOptions {
  /** Asks for the cardholder's name; off when left out. */
  readonly showCardholderName?: boolean;
  /** Asks for the cardholder's email; off when left out. */
  readonly showCardholderEmail?: boolean;
  /** What the email field starts with. */
  readonly cardholderEmail?: string;
  /** Your id of the browser, for experiments. */
  readonly cookieId?: string;
  /** The fraud-prevention site. */
  readonly siteId?: string;
  /** `"AA"`, the default, repairs label and placeholder colors under 4.5:1; `null` leaves the colors as they are. */
  readonly contrast?: "AA" | null;
  /**
   * The colors that `customStyle` does not set: light, dark, or as the shopper's system has it. Left out they are light
   * or dark as your page is where the form stands.
   */
  readonly colorMode?: "light" | "dark" | "system";
  /** False keeps the form from telling events; true when left out. */
  readonly tracking?: boolean;
  /** What stands in every event beside what the form tells: `{ plan: "gold" }`. Nothing that says who the shopper is. */
  readonly eventAttributes?: Readonly<Record<string, string | number | boolean>>;
  /** Forces experiments on or off; a server outside demo mode ignores it. */
  readonly features?: Readonly<Partial<Features>>;
}

/** The client secret of the charge, or a function that fetches it, so that an expired one is replaced. */
export type ClientSecret = string | (() => string | Promise<string>);

/** What `mount` needs to show the form of one charge. */
export interface MountOptions {
  /** Where Cardform is served: `https://pay.example`. Messages go to its origin and are taken from nowhere else. */
  readonly url: string;
  /** `payload` of the charge, from your server. */
  readonly payload: string;
  /** `client_secret` of the charge, or a function that asks your server for it each time the form needs one. */
  readonly clientSecret: ClientSecret;
  /** Options of the integration. */
  readonly options?: FormOptions;
  /** The locale to speak: `fr-FR`; the browser's when left out. */
  readonly locale?: string;
  /** The form's look. */
  readonly customStyle?: CustomStyle;
  /** The frame's name for screen readers; "Card payment" when left out. */
  readonly title?: string;
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
  // By hand, because URLSearchParams writes a space as "+", which is a plus sign to whoever decodes the URL as a URL.
  url.search = [...Object.entries(parameters), ...campaign]
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  return url;
}

/**
 * The height in CSS pixels that the form has before anything is wrong with it, so that the page does not jump when it
 * arrives. `coarse` says that the shopper points with a finger, for which the form is drawn larger.
 */
export function reservedHeight(options: FormOptions = {}, coarse = false): number {
  const [base, field] = coarse ? COARSE_PX : FINE_PX;
  return base + field * ((options.showCardholderName ? 1 : 0) + (options.showCardholderEmail ? 1 : 0));
}

/** Measured on the form in its default theme: its title and first two rows, and each further row. */
const FINE_PX = [210, 88.5] as const;
const COARSE_PX = [231, 97] as const;

/** What is left out says nothing, and the server has its own default for it. */
type SaidOptions = { readonly [Name in keyof WireOptions]?: WireOptions[Name] | undefined };

/** The merchant's `cookieId` is the form's `cookie_id`; what has no counterpart there is ignored. */
function wireOptions({ options = {}, locale }: MountOptions, host: string): SaidOptions {
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
