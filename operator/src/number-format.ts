// How the page writes numbers, shares and amounts.

import { fractionDigits } from "./desk/amounts.ts";

const COUNT = new Intl.NumberFormat("en");
const SHARE = new Intl.NumberFormat("en", {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

const CHANGE = new Intl.NumberFormat("en", {
  style: "percent",
  signDisplay: "exceptZero",
  maximumFractionDigits: 0,
});

export const formatCount = (number: number): string => COUNT.format(number);

/** The share of `part` in `whole`, or a dash when `whole` is 0. */
export const formatShare = (part: number, whole: number): string =>
  whole === 0 ? "–" : SHARE.format(part / whole);

export const formatPercent = (rate: number): string => SHARE.format(rate);

/**
 * "$1,234.50" for "1234.50" and "USD", with the digits that were charged. A browser that refuses the currency's code shows
 * both unchanged.
 */
export function formatMoney(amount: string, currency: string): string {
  try {
    const digits = fractionDigits(amount);
    const format = new Intl.NumberFormat("en", {
      style: "currency",
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    // A text keeps all digits, and a number may lose some. Older browsers convert the text to a number.
    return format.format(amount as unknown as number);
  } catch {
    return `${currency} ${amount}`;
  }
}

/** The change in percent: "+12%", or "0%" for none. With nothing before it is "new", and with nothing now either, "none". */
export function formatChange(now: number, before: number): string {
  if (before === 0) {
    return now === 0 ? "none" : "new";
  }
  return CHANGE.format((now - before) / before);
}

/** "1 visit", "2 visits". */
export const formatCountOf = (number: number, noun: string): string =>
  `${formatCount(number)} ${noun}${number === 1 ? "" : "s"}`;
