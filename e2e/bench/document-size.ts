// How many bytes the document and its style have on the network: the document in gzip as it is answered, the
// style as the build compresses it with brotli.

import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync } from "node:zlib";

import { ALL_FIELDS, paymentPage } from "../src/form-page.ts";
import { startService } from "../src/service.ts";
import { print } from "./row.ts";

const BUDGET_KB = 12;
const BYTES_PER_KB = 1000;

/** How many bytes the answer's body has on the wire. */
async function onTheWire(url: string): Promise<number> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers: { "accept-encoding": "gzip" } }, resolve)
      .once("error", reject)
      .end();
  });
  if (answer.statusCode !== 200 || answer.headers["content-encoding"] !== "gzip") {
    throw new Error(`the server answered with ${answer.statusCode}, or without gzip`);
  }
  return (await buffer(answer)).length;
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
    measured: ((await onTheWire(url)) + brotliCompressSync(sheet).length) / BYTES_PER_KB,
    unit: "KB",
    measured_max: BUDGET_KB,
  });
} finally {
  await service.stop();
}
