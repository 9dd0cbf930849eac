// Fetches a page over https as a scanner does and checks its headers. It trusts only one certificate.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";

import { type Finding, findings } from "./header-rules.ts";

export interface Scan {
  readonly status: number;
  /** True when the certificate was trusted. */
  readonly verified: boolean;
  readonly findings: readonly Finding[];
}

const TIMEOUT_MS = 10_000;

/** Scans the page at `url`. The server's certificate is in the file `certificate`. */
export async function scan(url: string, certificate: string): Promise<Scan> {
  const speaksPlainHttp = await answersPlainHttp(new URL(url));
  const request = https.get(url, {
    ca: readFileSync(certificate),
    // The scanner sends an origin, as a page of another site does.
    headers: { accept: "text/html", origin: "https://http-observatory.example" },
    timeout: TIMEOUT_MS,
  });
  request.on("timeout", () => request.destroy(new Error("the page does not come")));
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  const verified = (answer.socket as TLSSocket).authorized;
  const names = answer.rawHeaders.filter((_, at) => at % 2 === 0);
  const headers = names.map((name, at) => [name.toLowerCase(), answer.rawHeaders[at * 2 + 1] ?? ""] as const);
  const page = { headers, html: await text(answer), speaksPlainHttp };
  return { status: answer.statusCode ?? 0, verified, findings: findings(page) };
}

/** True when the https port also answers plain http. */
async function answersPlainHttp({ hostname, port }: URL): Promise<boolean> {
  const request = http.get({ host: hostname, port, path: "/", timeout: TIMEOUT_MS });
  request.on("timeout", () => request.destroy(new Error("no answer")));
  try {
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    answer.resume();
    return true;
  } catch {
    return false;
  }
}
