// How many bytes the document and its style take when they are compressed with brotli.

import { brotliCompressSync, constants } from "node:zlib";

import { ALL_FIELDS, paymentPage } from "../src/form-page.ts";
import { startService } from "../src/service.ts";
import { print } from "./row.ts";

const BUDGET_KB = 12;
const BYTES_PER_KB = 1000;
/** A document is compressed while it is answered, which must not take long; a style is compressed once, when it is built. */
const QUALITY = { document: 5, style: 11 };

async function compressed(url: string, quality: number): Promise<number> {
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`the server answered with ${response.status}`);
  }
  const body = Buffer.from(await response.arrayBuffer());
  return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length;
}

const service = await startService();
try {
  const url = await paymentPage(service, ALL_FIELDS);
  const html = await (await fetch(url)).text();
  const style = /<link[^>]+href="([^"]+\.css)"/.exec(html)?.[1];
  if (style === undefined) {
    throw new Error("the document links to no style");
  }
  const bytes =
    (await compressed(url, QUALITY.document)) + (await compressed(new URL(style, url).href, QUALITY.style));
  print({
    name: "document and style, brotli",
    measured: bytes / BYTES_PER_KB,
    unit: "KB",
    measured_max: BUDGET_KB,
  });
} finally {
  await service.stop();
}
