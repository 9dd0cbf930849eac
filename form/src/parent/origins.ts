// Which pages may embed the form. The rules are those of the browser's `frame-ancestors` and of
// `crates/rules/src/origin.rs`; all three are tested with `cases/origins.json`.

/** Scheme, `*.` for any subdomain, host and port. */
const PARTS = /^(https?):\/\/(\*\.)?([^/:]+)(?::(\d+))?$/;

/** Whether a page of `origin` may embed the form. If no origins are named, any page may. */
export function isAllowed(origin: string, allowedOrigins: readonly string[]): boolean {
  return allowedOrigins.length === 0 || allowedOrigins.some((allowed) => covers(allowed, origin));
}

/** Whether `allowed`, such as `https://shop.example` or `https://*.shop.example`, includes `origin`. */
export function covers(allowed: string, origin: string): boolean {
  const [meant, given] = [parts(allowed), parts(origin)];
  if (meant === null || given === null || given.anySubdomain) {
    return false;
  }
  const sameHost = meant.anySubdomain ? given.host.endsWith(`.${meant.host}`) : given.host === meant.host;
  // As in a browser's policy, http includes https.
  const upgraded = meant.scheme === "http" && given.scheme === "https";
  const samePort = given.port === meant.port || (upgraded && meant.port === "80" && given.port === "443");
  return sameHost && samePort && (upgraded || given.scheme === meant.scheme);
}

function parts(text: string) {
  const [, scheme, subdomain, host, port] = PARTS.exec(text) ?? [];
  // `https://*` would allow every page.
  return scheme === undefined || host === undefined || host.includes("*")
    ? null
    : {
        scheme,
        host,
        port: port ?? (scheme === "https" ? "443" : "80"),
        anySubdomain: subdomain !== undefined,
      };
}
