// The settings that the developer's drawer changes. They are in the page's address, so that a link contains them.

import type { CardformOptions, CustomStyle } from "@cardform/react";
import { PRESETS } from "../theme/presets.ts";
import type { Mode } from "../theme/theme.ts";

/** An experiment of the form. */
export type Experiment = keyof NonNullable<CardformOptions["features"]>;

/** The meaning of each experiment. */
export const EXPERIMENTS: Readonly<Record<Experiment, string>> = {
  "card-form-card-number-luhn-alg-validation": "Check the card number's check digit",
  "card-form-card-security-length-limit-validation": "Check the security code's length",
  "card-form-card-expiry-date-limit-validation": "Check that the card has not expired",
  "card-form-card-brand-icon-config": "Logos of the card brands",
  "enable-save-payment-methods": "Saved cards",
  "enable-save-card-snackbar": "Say that a card was removed",
  "enable-ddc": "Device data for the bank",
  "pop-646-card-form-ui-redesign": "The newer design",
};

/** The languages of the form. */
export const LANGUAGES = [
  ...["en-US", "ar-AE", "ar-SA", "cs-CZ", "de-DE", "es-AR", "es-CL", "es-CO", "es-ES", "es-PE", "fr-FR"],
  ...["hu-HU", "in-ID", "it-IT", "ja-JP", "km-KH", "ko-KR", "ku-KZ", "lo-LA", "my-MM", "nl-NL", "pl-PL"],
  ...["pt-PT", "ro-RO", "ru-RU", "sk-SK", "th-TH", "tl-PH", "vi-VN", "zh-HK", "zh-TW"],
] as const;

export const DIRECTIONS = ["auto", "ltr", "rtl"] as const;
export const LAYOUTS = ["embedded", "page"] as const;

/** The preset that has the colors of the shop's page (`look/base.css`). */
export const SHOP_THEME = "Larkspur";
/** The form without a theme, and the presets of the theme playground. */
export const THEMES: readonly string[] = ["None", ...PRESETS.map(({ name }) => name)];

export interface ShopSettings {
  /** A language tag; empty for the shopper's own language. */
  readonly locale: string;
  /** The direction of the shop's page. `auto` is the language's. */
  readonly dir: (typeof DIRECTIONS)[number];
  /** One of `THEMES`. */
  readonly theme: string;
  /** Whether the form is in the shop or on Cardform's own page. */
  readonly layout: (typeof LAYOUTS)[number];
  /** The experiments that are switched off. */
  readonly off: readonly Experiment[];
}

/** The settings in a page's query. A missing or unknown value has its default. */
export function readSettings(query: string): ShopSettings {
  const given = new URLSearchParams(query);
  const off = (given.get("off") ?? "").split(",");
  return {
    locale: given.get("locale") ?? "",
    dir: DIRECTIONS.find((dir) => dir === given.get("dir")) ?? "auto",
    theme: THEMES.find((theme) => theme === given.get("theme")) ?? SHOP_THEME,
    layout: LAYOUTS.find((layout) => layout === given.get("layout")) ?? "embedded",
    off: (Object.keys(EXPERIMENTS) as Experiment[]).filter((experiment) => off.includes(experiment)),
  };
}

/** The query of these settings, without the defaults: "?dir=rtl". */
export function queryOf({ locale, dir, theme, layout, off }: ShopSettings): string {
  const query = new URLSearchParams({
    ...(locale && { locale }),
    ...(dir !== "auto" && { dir }),
    ...(theme !== SHOP_THEME && { theme }),
    ...(layout !== "embedded" && { layout }),
    ...(off.length > 0 && { off: off.join(",") }),
  });
  return query.size === 0 ? "" : `?${query}`;
}

/** The direction in which the shop's page is read. */
export function directionOf({ dir, locale }: ShopSettings): "ltr" | "rtl" {
  return dir === "auto" ? (locale.startsWith("ar") ? "rtl" : "ltr") : dir;
}

/** The color mode that the browser asks for now. */
export function colorMode(): Mode {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

interface FormLook {
  readonly colorMode: Mode;
  readonly customStyle: CustomStyle;
}

/** The form's look in a page of this color mode. A preset for dark mode only is dark in a light page, too. */
export function lookOf({ theme }: ShopSettings, mode: Mode = colorMode()): FormLook {
  const themes = PRESETS.find(({ name }) => name === theme)?.themes ?? { [mode]: {} };
  const shown = themes[mode] ? mode : "dark";
  return { colorMode: shown, customStyle: themes[shown] ?? {} };
}

/** The experiments as an option of the form. Without a switched off experiment the service decides all of them. */
export function featuresOf({ off }: ShopSettings): Pick<CardformOptions, "features"> {
  return off.length === 0
    ? {}
    : { features: Object.fromEntries(off.map((experiment) => [experiment, false])) };
}

/** The address of the payment page with these settings. It has a theme only if the developer chose one. */
export function paymentPage(url: string, settings: ShopSettings): string {
  const address = new URL(url, location.href);
  const { colorMode, customStyle } = lookOf(settings);
  const { locale, theme } = settings;
  const options = {
    ...(locale && { locale }),
    ...(theme !== SHOP_THEME && { color_mode: colorMode }),
    ...featuresOf(settings),
  };
  if (Object.keys(options).length > 0) {
    address.searchParams.set("options", JSON.stringify(options));
  }
  if (theme !== SHOP_THEME) {
    address.searchParams.set("customStyle", JSON.stringify(customStyle));
  }
  return address.href;
}
