// What a browser keeps for the next visit: cookies and local storage, and the page's memory where it refuses either.

/** Values by name. Nothing here throws, whatever the browser forbids. */
export interface KeptValues {
  readonly get: (name: string) => string | null;
  readonly set: (name: string, value: string) => void;
  readonly forget: (name: string) => void;
}

/** The longest a browser keeps a cookie: 400 days. */
const COOKIE_SECONDS = 34_560_000;

/** Where the page stands, as far as its cookies are concerned. */
export interface CookiePlace {
  /** Whether the page came over https. */
  readonly secure: boolean;
  /** Whether it is in the frame of another page. */
  readonly framed: boolean;
}

/**
 * Cookies of the whole site. In a frame of another site a browser takes only those that are partitioned, one jar for
 * each site that embeds the form, and these only over https.
 */
export function inCookies(document: { cookie: string }, { secure, framed }: CookiePlace): KeptValues {
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

/** Local storage, for what no server needs to be sent. Denied storage throws already when it is named. */
export function inLocalStorage(storage: () => Storage): KeptValues {
  return withMemory({
    get: (name) => storage().getItem(name),
    set: (name, value) => storage().setItem(name, value),
    forget: (name) => storage().removeItem(name),
  });
}

/** The page's own memory, gone with the page. */
export function inMemory(): KeptValues {
  return withMemory({ get: () => null, set: () => {}, forget: () => {} });
}

/** `values`, and for as long as the page is open what they did not keep. */
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
    // Another page of the same shopper may have written since, so what is kept wins.
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
