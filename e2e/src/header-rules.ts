// The rules of MDN's HTTP Observatory for the headers of a page over https, with the Observatory's names for the results.
// They are written here because the Observatory's package needs a database and an error reporter.

/** The server's response for a page. */
export interface ServedPage {
  /** Names are in lower case. A header that was sent twice is listed twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly html: string;
  /** True when the same host and port also answer plain http. */
  readonly speaksPlainHttp: boolean;
}

/** The result of one rule. */
export interface Finding {
  readonly rule: string;
  readonly result: string;
  readonly passed: boolean;
}

const SIX_MONTHS_SECONDS = 15_768_000;
/** Sources that allow nearly every address. */
const BROAD = ["ftp:", "http:", "https:", "*", "http://*", "https://*", "data:"];
const PRIVATE_REFERRER = ["no-referrer", "same-origin", "strict-origin", "strict-origin-when-cross-origin"];
/** Directives for content that runs no code. */
const PASSIVE = ["img-src", "media-src"];

function values(page: ServedPage, name: string): readonly string[] {
  return page.headers.filter(([known]) => known === name).map(([, value]) => value.trim());
}

/** The directives of the page's policies, or "duplicate" when one is given twice. */
function directives(page: ServedPage): ReadonlyMap<string, readonly string[]> | "duplicate" {
  const found = new Map<string, readonly string[]>();
  for (const part of values(page, "content-security-policy").flatMap((policy) => policy.split(";"))) {
    const [name, ...sources] = part.trim().split(/\s+/);
    if (name === undefined || name === "") continue;
    if (found.has(name.toLowerCase())) return "duplicate";
    found.set(name.toLowerCase(), sources);
  }
  return found;
}

function checkContentSecurityPolicy(page: ServedPage): [string, boolean] {
  const found = directives(page);
  if (found === "duplicate") return ["csp-implemented-but-duplicate-directives", false];
  if (found.size === 0) return ["csp-not-implemented", false];
  const sources = (name: string) => found.get(name) ?? found.get("default-src") ?? ["*"];
  const [scripts, styles, objects] = [sources("script-src"), sources("style-src"), sources("object-src")];
  const isInsecure = (source: string) => source.startsWith("http:") || source.startsWith("ftp:");
  const active = [...found].filter(([name]) => !PASSIVE.includes(name)).flatMap(([, list]) => list);
  if (
    scripts.some((source) => [...BROAD, "'unsafe-inline'"].includes(source)) ||
    objects.some((source) => BROAD.includes(source))
  ) {
    return ["csp-implemented-with-unsafe-inline", false];
  }
  if (active.some(isInsecure)) return ["csp-implemented-with-insecure-scheme", false];
  if ([...scripts, ...styles].includes("'unsafe-eval'")) return ["csp-implemented-with-unsafe-eval", false];
  if (PASSIVE.flatMap(sources).some(isInsecure)) {
    return ["csp-implemented-with-insecure-scheme-in-passive-content-only", false];
  }
  if (styles.some((source) => [...BROAD, "'unsafe-inline'"].includes(source))) {
    return ["csp-implemented-with-unsafe-inline-in-style-src-only", false];
  }
  const isNone = found.get("default-src")?.join(" ") === "'none'";
  return [
    isNone ? "csp-implemented-with-no-unsafe-default-src-none" : "csp-implemented-with-no-unsafe",
    true,
  ];
}

function checkCookies(page: ServedPage): [string, boolean] {
  const set = values(page, "set-cookie");
  if (set.length === 0) return ["cookies-not-found", true];
  let everySameSite = true;
  for (const cookie of set) {
    const [pair = "", ...rest] = cookie.split(";").map((part) => part.trim());
    const name = pair.split("=")[0]?.toLowerCase() ?? "";
    const attributes = new Map(
      rest.map((attribute) => {
        const [key = "", value = ""] = attribute.split("=");
        return [key.toLowerCase(), value.toLowerCase()] as const;
      }),
    );
    const sameSite = attributes.get("samesite");
    const isSession = name.includes("login") || name.includes("sess");
    if (sameSite !== undefined && !["lax", "strict", "none"].includes(sameSite)) {
      return ["cookies-samesite-flag-invalid", false];
    }
    if (!attributes.has("secure")) return ["cookies-without-secure-flag", false];
    if (isSession && !attributes.has("httponly")) return ["cookies-session-without-httponly-flag", false];
    if (name.includes("csrf") && sameSite === undefined) {
      return ["cookies-anticsrf-without-samesite-flag", false];
    }
    everySameSite &&= sameSite !== undefined;
  }
  const and = everySameSite ? "-and-samesite" : "";
  return [`cookies-secure-with-httponly-sessions${and}`, true];
}

function checkSharing(page: ServedPage): [string, boolean] {
  const [origin] = values(page, "access-control-allow-origin");
  if (origin === undefined) return ["cross-origin-resource-sharing-not-implemented", true];
  const isPublic = origin === "*" && values(page, "access-control-allow-credentials").length === 0;
  const access = isPublic ? "public" : "universal";
  return [`cross-origin-resource-sharing-implemented-with-${access}-access`, isPublic];
}

function checkRedirection(page: ServedPage): [string, boolean] {
  return page.speaksPlainHttp ? ["redirection-missing", false] : ["redirection-not-needed-no-http", true];
}

function checkReferrerPolicy(page: ServedPage): [string, boolean] {
  const found = values(page, "referrer-policy");
  if (found.length === 0) return ["referrer-policy-not-implemented", false];
  // When several are given, browsers use the last one that they know.
  const last = found.join(",").split(",").at(-1)?.trim().toLowerCase() ?? "";
  return PRIVATE_REFERRER.includes(last)
    ? ["referrer-policy-private", true]
    : ["referrer-policy-unsafe", false];
}

function checkStrictTransport(page: ServedPage): [string, boolean] {
  const found = values(page, "strict-transport-security");
  if (found.length === 0) return ["hsts-not-implemented", false];
  const age = /^max-age=(\d+)(;|$)/i.exec(found[0] ?? "")?.[1];
  if (found.length > 1 || age === undefined) return ["hsts-header-invalid", false];
  const isLong = Number(age) >= SIX_MONTHS_SECONDS;
  return [`hsts-implemented-max-age-${isLong ? "at-least" : "less-than"}-six-months`, isLong];
}

function checkIntegrity(page: ServedPage): [string, boolean] {
  const scripts = [...page.html.matchAll(/<script\b([^>]*)\bsrc\s*=\s*["']?([^"'\s>]+)([^>]*)>/gi)];
  if (scripts.length === 0) return ["sri-not-implemented-but-no-scripts-loaded", true];
  // An address that does not begin with a single slash is on another origin.
  if (!scripts.every(([, , address]) => /^\/(?!\/)/.test(address ?? ""))) {
    return ["sri-not-implemented-and-external-scripts-not-loaded-securely", false];
  }
  const hasHash = ([, before, , after]: RegExpMatchArray) => /\bintegrity\s*=/i.test(`${before} ${after}`);
  return scripts.every(hasHash)
    ? ["sri-implemented-and-all-scripts-loaded-securely", true]
    : ["sri-not-implemented-but-all-scripts-loaded-from-secure-origin", true];
}

function checkContentType(page: ServedPage): [string, boolean] {
  const found = values(page, "x-content-type-options");
  if (found.length === 0) return ["x-content-type-options-not-implemented", false];
  return found.join(",").toLowerCase() === "nosniff"
    ? ["x-content-type-options-nosniff", true]
    : ["x-content-type-options-header-invalid", false];
}

function checkFrames(page: ServedPage): [string, boolean] {
  const found = directives(page);
  // The rule allows any list of embedding sites, as long as the page gives one.
  if (found !== "duplicate" && found.has("frame-ancestors")) {
    return ["x-frame-options-implemented-via-csp", true];
  }
  return ["x-frame-options-not-implemented", false];
}

function checkResourcePolicy(page: ServedPage): [string, boolean] {
  const found = values(page, "cross-origin-resource-policy");
  if (found.length === 0) return ["corp-not-implemented", true];
  const [policy] = found;
  return found.length === 1 && ["same-origin", "same-site", "cross-origin"].includes(policy ?? "")
    ? [`corp-implemented-with-${policy}`, true]
    : ["corp-header-invalid", false];
}

const RULES: readonly (readonly [string, (page: ServedPage) => [string, boolean]])[] = [
  ["content-security-policy", checkContentSecurityPolicy],
  ["cookies", checkCookies],
  ["cross-origin-resource-sharing", checkSharing],
  ["redirection", checkRedirection],
  ["referrer-policy", checkReferrerPolicy],
  ["strict-transport-security", checkStrictTransport],
  ["subresource-integrity", checkIntegrity],
  ["x-content-type-options", checkContentType],
  ["x-frame-options", checkFrames],
  ["cross-origin-resource-policy", checkResourcePolicy],
];

/** The result of each rule for the page. */
export function findings(page: ServedPage): readonly Finding[] {
  return RULES.map(([rule, check]) => {
    const [result, passed] = check(page);
    return { rule, result, passed };
  });
}
