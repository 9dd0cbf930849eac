// The client's address as a look-up service sees it (specification, points 7 and 9).

const TIMEOUT_MS = 2_000;
const RETRIES = 3;
/** The longest text that can be an address: IPv6 with an embedded IPv4. */
const ADDRESS_LENGTH_MAX = 45;

/** The client's address, or the empty text when the service does not tell. Never throws. */
export async function lookUpAddress(url: string): Promise<string> {
  for (let attempt = 0; attempt <= RETRIES; attempt += 1) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      const address = response.ok ? (await response.text()).trim() : "";
      if (address !== "" && address.length <= ADDRESS_LENGTH_MAX) {
        return address;
      }
    } catch {
      // Asked again, then done without: a charge does not wait for this.
    }
  }
  return "";
}
