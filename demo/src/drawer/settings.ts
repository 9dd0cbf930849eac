// What the developer's drawer changes of the shop. It stands in the page's address, so that a link has it.

import type { CardformOptions, CustomStyle } from "@cardform/react";
import { colorMode, FORM_STYLES, type ShopColorMode } from "../form-style.ts";
import { PRESETS } from "../theme/presets.ts";

/** An experiment of the form. */
export type Experiment = keyof NonNullable<CardformOptions["features"]>;

/** Each experiment, in words. */
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

/** The shop's own theme, the form without a theme, and the presets of the theme playground. */
export const THEMES = ["Shop", "None", ...PRESETS.map(({ name }) => name)] as const;

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

/** The settings in a page's query. What is missing or unknown has its default. */
export function readSettings(query: string): ShopSettings {
  const given = new URLSearchParams(query);
  const off = (given.get("off") ?? "").split(",");
  return {
    locale: given.get("locale") ?? "",
    dir: DIRECTIONS.find((dir) => dir === given.get("dir")) ?? "auto",
    theme: THEMES.find((theme) => theme === given.get("theme")) ?? "Shop",
    layout: LAYOUTS.find((layout) => layout === given.get("layout")) ?? "embedded",
    off: (Object.keys(EXPERIMENTS) as Experiment[]).filter((experiment) => off.includes(experiment)),
  };
}

/** The query of these settings, without the defaults: "?dir=rtl". */
export function queryOf({ locale, dir, theme, layout, off }: ShopSettings): string {
  const query = new URLSearchParams({
    ...(locale && { locale }),
    ...(dir !== "auto" && { dir }),
    ...(theme !== "Shop" && { theme }),
    ...(layout !== "embedded" && { layout }),
    ...(off.length > 0 && { off: off.join(",") }),
  });
  return query.size === 0 ? "" : `?${query}`;
}

/** The direction in which the shop's page is read. */
export function directionOf({ dir, locale }: ShopSettings): "ltr" | "rtl" {
  return dir === "auto" ? (locale.startsWith("ar") ? "rtl" : "ltr") : dir;
}

/** What the settings mean for the form. */
export interface FormLook {
  readonly colorMode: ShopColorMode;
  readonly customStyle: CustomStyle;
}

/** The form's look in a page of this color mode. A preset that is dark only is dark in a light page, too. */
export function lookOf({ theme }: ShopSettings, mode: ShopColorMode = colorMode()): FormLook {
  if (theme === "None") {
    return { colorMode: mode, customStyle: {} };
  }
  const preset = PRESETS.find(({ name }) => name === theme);
  if (!preset) {
    return { colorMode: mode, customStyle: FORM_STYLES[mode] };
  }
  const shown = preset.themes[mode] ? mode : "dark";
  return { colorMode: shown, customStyle: preset.themes[shown] ?? {} };
}

/** The experiments as the form's options have them; absent if all are as the service says. */
export function featuresOf({ off }: ShopSettings): Pick<CardformOptions, "features"> {
  return off.length === 0
    ? {}
    : { features: Object.fromEntries(off.map((experiment) => [experiment, false])) };
}

/** The address of the payment page with these settings. It has a theme only if one was chosen. */
export function paymentPage(url: string, settings: ShopSettings): string {
  const address = new URL(url, location.href);
  const { colorMode, customStyle } = lookOf(settings);
  const { locale, theme } = settings;
  const options = {
    ...(locale && { locale }),
    ...(theme !== "Shop" && { color_mode: colorMode }),
    ...featuresOf(settings),
  };
  if (Object.keys(options).length > 0) {
    address.searchParams.set("options", JSON.stringify(options));
  }
  if (theme !== "Shop") {
    address.searchParams.set("customStyle", JSON.stringify(customStyle));
  }
  return address.href;
}
