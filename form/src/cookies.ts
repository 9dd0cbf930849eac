// The page's cookies by name. Both functions throw where the browser denies cookies, as in some frames.

/** A document's cookies; a test gives its own. */
interface CookieDocument {
  cookie: string;
}

/** The cookie's value; null if there is none. */
export function readCookie(name: string, { cookie }: CookieDocument = document): string | null {
  const pair = cookie.split("; ").find((one) => one.startsWith(`${name}=`));
  return pair === undefined ? null : decodeURIComponent(pair.slice(name.length + 1));
}

/** Sets the cookie, with attributes like `Path=/; Max-Age=60`. */
export function writeCookie(
  name: string,
  value: string,
  attributes: string,
  place: CookieDocument = document,
): void {
  place.cookie = `${name}=${encodeURIComponent(value)}; ${attributes}`;
}
