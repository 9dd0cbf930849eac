// Looks up the client's IP address (docs/calls.md#client-address).

const TIMEOUT_MS = 2_000;
const RETRIES = 3;
/** The longest text that can be an address: IPv6 with an embedded IPv4. */
const ADDRESS_LENGTH_MAX = 45;

/** The client's address; empty if the service does not tell it. Never throws. */
export async function lookUpAddress(url: string): Promise<string> {
  for (let attempt = 0; attempt <= RETRIES; attempt += 1) {
    try {
      // The look-up service gets no cookies.
      const init = { signal: AbortSignal.timeout(TIMEOUT_MS), credentials: "omit" } as const;
      const response = await fetch(url, init);
      if (response.ok) {
        const text = (await response.text()).trim();
        return isAddress(text) ? text : "";
      }
    } catch {
      // Tried again, and then left empty: a charge does not wait for this.
    }
  }
  return "";
}

/** Whether `text` is an IPv4 or IPv6 address. */
export function isAddress(text: string): boolean {
  if (text.length > ADDRESS_LENGTH_MAX) {
    return false;
  }
  const numbers = text.split(".");
  if (numbers.length === 4 && numbers.every((number) => /^(0|[1-9]\d{0,2})$/.test(number) && +number < 256)) {
    return true;
  }
  // The browser's own parser decides about IPv6; the pattern keeps out everything that is not a host.
  return /^[\da-f:.]*:[\da-f:.]*$/i.test(text) && URL.canParse(`http://[${text}]/`);
}
