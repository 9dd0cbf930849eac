// Values that the browser keeps for the next visit, in cookies or local storage. If it refuses, the page's memory has them.

/** Values by name. Nothing here throws, even if the browser denies storage. */
export interface KeptValues {
  readonly get: (name: string) => string | null;
  readonly set: (name: string, value: string) => void;
  readonly forget: (name: string) => void;
}

/** The longest a browser keeps a cookie: 400 days. */
const COOKIE_SECONDS = 34_560_000;

/**
 * Cookies for the whole site. `secure` is whether the page came over https. In the frame of another site browsers accept
 * only partitioned cookies, which are separate for each site that embeds the form, and only over https.
 */
export function inCookies(
  document: { cookie: string },
  { secure, framed }: { readonly secure: boolean; readonly framed: boolean },
): KeptValues {
  const attributes = `; Path=/${
    secure && framed ? "; SameSite=None; Secure; Partitioned" : `; SameSite=Lax${secure ? "; Secure" : ""}`
  }`;
  return withMemory({
    get: (name) => {
      const pairs = document.cookie.split("; ");
      const pair = pairs.find((one) => one.startsWith(`${name}=`));
      return pair === undefined ? null : decodeURIComponent(pair.slice(name.length + 1));
    },
    set: (name, value) => {
      document.cookie = `${name}=${encodeURIComponent(value)}${attributes}; Max-Age=${COOKIE_SECONDS}`;
    },
    forget: (name) => {
      document.cookie = `${name}=${attributes}; Max-Age=0`;
    },
  });
}

/** Local storage, for values that are not sent to the server. If storage is denied, naming it throws. */
export function inLocalStorage(storage: () => Storage): KeptValues {
  return withMemory({
    get: (name) => storage().getItem(name),
    set: (name, value) => storage().setItem(name, value),
    forget: (name) => storage().removeItem(name),
  });
}

/** The page's own memory, which ends with the page. */
export function inMemory(): KeptValues {
  return withMemory({ get: () => null, set: () => {}, forget: () => {} });
}

/** `values`, with the page's memory for what they did not keep. */
function withMemory(values: KeptValues): KeptValues {
  const memory = new Map<string, string>();
  const attempt = <T>(doing: () => T): T | null => {
    try {
      return doing();
    } catch {
      return null;
    }
  };
  return {
    // Another open page may have written a newer value, so the kept value comes first.
    get: (name) => attempt(() => values.get(name)) ?? memory.get(name) ?? null,
    set: (name, value) => {
      memory.set(name, value);
      attempt(() => values.set(name, value));
    },
    forget: (name) => {
      memory.delete(name);
      attempt(() => values.forget(name));
    },
  };
}
