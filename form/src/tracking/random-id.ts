// Random ids. `crypto.randomUUID` is missing on pages that are served neither over https nor from the same machine.

/** A UUID of version 4. */
export function randomId(): string {
  return "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (digit) => {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    // The 8 keeps its highest bit, which the standard fixes.
    return (Number(digit) ^ (byte & (digit === "8" ? 3 : 15))).toString(16);
  });
}
