// The size of the page's document and style sheet on the network: the document compressed with gzip by the server, the
// style sheet compressed with brotli as the build does it.

import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync } from "node:zlib";

import { ALL_FIELDS, paymentPage } from "../src/form-page.ts";
import { startService } from "../src/service.ts";
import { print } from "./row.ts";

const BUDGET_KB = 12;
const BYTES_PER_KB = 1000;

/** The number of bytes of the response's compressed body. */
async function compressedBytes(url: string): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers: { "accept-encoding": "gzip" } }, resolve)
      .once("error", reject)
      .end();
  });
  if (response.statusCode !== 200 || response.headers["content-encoding"] !== "gzip") {
    throw new Error(`the server answered with ${response.statusCode}, or without gzip`);
  }
  return (await buffer(response)).length;
}

const service = await startService();
try {
  const url = await paymentPage(service, ALL_FIELDS);
  const html = await (await fetch(url)).text();
  const style = /<link[^>]+href="([^"]+\.css)"/.exec(html)?.[1];
  if (style === undefined) {
    throw new Error("the document links to no style");
  }
  const sheet = Buffer.from(await (await fetch(new URL(style, url))).arrayBuffer());
  print({
    name: "document, gzip, and style, brotli",
    measured: ((await compressedBytes(url)) + brotliCompressSync(sheet).length) / BYTES_PER_KB,
    unit: "KB",
    measured_max: BUDGET_KB,
  });
} finally {
  await service.stop();
}
