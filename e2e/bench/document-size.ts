// How many bytes a shopper's browser fetches before the script: the document and its style, as the server sends them.

import { request } from "node:http";

import { ALL_FIELDS, paymentPage } from "../src/form-page.ts";
import { startService } from "../src/service.ts";
import { print } from "./row.ts";

const BUDGET_KB = 12;
const BYTES_PER_KB = 1000;

/** The body as it goes over the wire, compressed as a browser asks for it. */
function fetched(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { "accept-encoding": "br" } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200 && response.headers["content-encoding"] === "br") {
          resolve(Buffer.concat(chunks));
        } else {
          reject(new Error(`answered with ${response.statusCode}, ${response.headers["content-encoding"]}`));
        }
      });
    });
    asked.on("error", reject).end();
  });
}

const service = await startService();
try {
  const url = await paymentPage(service, ALL_FIELDS);
  const html = await (await fetch(url)).text();
  const style = /<link[^>]+href="([^"]+\.css)"/.exec(html)?.[1];
  if (style === undefined) {
    throw new Error("the document links to no style");
  }
  const bodies = await Promise.all([fetched(url), fetched(new URL(style, url).href)]);
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
  print({
    name: "document and style, brotli",
    measured: bytes / BYTES_PER_KB,
    unit: "KB",
    measured_max: BUDGET_KB,
  });
} finally {
  await service.stop();
}
