// Which pages may embed and drive the form. The same rules as those of `frame-ancestors`, by which the browser judges,
// and of `crates/rules/src/origin.rs`: `cases/origins.json` is run by all three.

/** Scheme, `*.` for any subdomain, host and port. */
const PARTS = /^(https?):\/\/(\*\.)?([^/:]+)(?::(\d+))?$/;

/** Whether a page of `origin` may embed and drive the form; where no origins are named, any may. */
export function isAllowed(origin: string, allowedOrigins: readonly string[]): boolean {
  return allowedOrigins.length === 0 || allowedOrigins.some((allowed) => covers(allowed, origin));
}

/** Whether `allowed`, `https://shop.example` or `https://*.shop.example`, means `origin`. */
export function covers(allowed: string, origin: string): boolean {
  const [meant, given] = [parts(allowed), parts(origin)];
  if (meant === null || given === null || given.anySubdomain) {
    return false;
  }
  const sameHost = meant.anySubdomain ? given.host.endsWith(`.${meant.host}`) : given.host === meant.host;
  // A browser takes a policy's http for https, too: the same page, only better protected.
  const upgraded = meant.scheme === "http" && given.scheme === "https";
  const samePort = given.port === meant.port || (upgraded && meant.port === "80" && given.port === "443");
  return sameHost && samePort && (upgraded || given.scheme === meant.scheme);
}

function parts(text: string) {
  const [, scheme, subdomain, host, port] = PARTS.exec(text) ?? [];
  // `https://*` would be every page there is.
  return scheme === undefined || host === undefined || host.includes("*")
    ? null
    : {
        scheme,
        host,
        port: port ?? (scheme === "https" ? "443" : "80"),
        anySubdomain: subdomain !== undefined,
      };
}
