// Codes as words.

/** "Refund requested" for "refund_requested". */
export function words(code: string): string {
  const text = code.replaceAll("_", " ").replaceAll(".", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
