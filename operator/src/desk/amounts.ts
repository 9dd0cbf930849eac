// Amounts as the service writes them: decimal texts with all digits of their currency.

/** "12.50" as 1250; null if the text is no amount. */
export function minorUnits(amount: string): bigint | null {
  return /^\d{1,16}(\.\d{1,4})?$/.test(amount) ? BigInt(amount.replace(".", "")) : null;
}

/** How many digits the fraction has: 2 for "12.50", 0 for "500". */
export const fractionDigits = (amount: string): number => amount.split(".")[1]?.length ?? 0;

/** "12.50 USD". */
export const amountText = (amount: string, currency: string): string => `${amount} ${currency}`;

/** What the person typed, with a point. A comma before three digits may group thousands, so it stays and is refused. */
export const withPoint = (typed: string): string => typed.trim().replace(/,(?!\d{3}$)/, ".");

/**
 * What the person typed, with all digits of the currency, or the reason why it cannot be the amount. `left` is the most that
 * it can be, and has all digits.
 */
export function readAmount(
  typed: string,
  left: string,
): { readonly amount: string; readonly problem: null } | { readonly amount: null; readonly problem: string } {
  const wrong = (problem: string) => ({ amount: null, problem });
  const digits = fractionDigits(left);
  const text = withPoint(typed);
  if (!/^\d{1,16}(\.\d*)?$/.test(text)) {
    return wrong(`Enter an amount, such as ${left}.`);
  }
  const [whole = "", fraction = ""] = text.split(".");
  if (fraction.length > digits) {
    return wrong(
      digits === 0
        ? "This currency has no digits after the point."
        : `At most ${digits} digits after the point.`,
    );
  }
  const amount = digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, "0")}`;
  const units = minorUnits(amount) ?? 0n;
  if (units === 0n) {
    return wrong("The amount must be above zero.");
  }
  if (units > (minorUnits(left) ?? 0n)) {
    return wrong(`At most ${left}.`);
  }
  return { amount, problem: null };
}
