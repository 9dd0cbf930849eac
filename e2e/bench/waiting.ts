// What a shopper waits for, in the frame of a merchant's page, on a processor that is slowed down four times and a slow
// network: until a key that is pressed in the card number stays there, until the form formats what was typed (it is
// hydrated), and until the merchant's page receives the message whether the form is ready.

import { get } from "node:http";
import type { Browser } from "playwright-core";

import { startWholeBrowser } from "../src/browser.ts";
import { ALL_FIELDS, startMerchantPage } from "../src/form-page.ts";
import { startService } from "../src/service.ts";
import { print } from "./row.ts";
import { startSlowLink } from "./slow-link.ts";

const CPU_SLOWDOWN = 4;
const RUNS = 5;
/** One key, then the rest at once, and the text that the form formats them to. */
const [KEY, REST, FORMATTED] = ["4", "2424", "4242 4"];
/** A form may take this much longer than its bytes do. */
const HYDRATED_RATIO_MAX = 1.2;

/** Milliseconds from the moment in which the merchant's page adds the frame. */
interface Waited {
  readonly typed: number;
  readonly hydrated: number;
  readonly told: number;
}

/** What happened in the frame, in milliseconds since 1970. */
interface Seen {
  readonly typed: number;
  readonly hydrated: number;
}

/**
 * Runs in every frame: focuses the card number as soon as it is painted, and records when a key has reached it, and when
 * the number is formatted.
 */
function recordTyping(formatted: string): void {
  const seen: { typed?: number; hydrated?: number } = {};
  Object.assign(window, { seen });
  addEventListener(
    "input",
    ({ target, isTrusted }) => {
      if (isTrusted && (target as Element).id === "card-number") {
        seen.typed ??= Date.now();
      }
    },
    { capture: true },
  );
  const look = () => {
    const input = document.getElementById("card-number") as HTMLInputElement | null;
    if (input?.value === formatted) {
      seen.hydrated ??= Date.now();
      return;
    }
    if (
      input !== null &&
      document.activeElement !== input &&
      performance.getEntriesByType("paint").length > 0
    ) {
      input.focus();
    }
    setTimeout(look, 4);
  };
  look();
}

/** Runs in the merchant's page: adds the frame, and records when it is told whether the form is ready. */
function addFrame(src: string): number {
  const told: { at?: number } = {};
  Object.assign(window, { told });
  addEventListener("message", ({ data }) => {
    if (data?.type === "form-ready-state") {
      told.at ??= Date.now();
    }
  });
  const frame = document.createElement("iframe");
  frame.title = "Card";
  frame.style.cssText = "width: 100%; height: 420px; border: 0";
  document.querySelector("main")?.append(frame);
  frame.src = src;
  frame.focus();
  return Date.now();
}

/** Opens the form at `address` and types as soon as there is an input. Also answers what the form has fetched by then. */
async function wait(browser: Browser, merchant: string, address: string) {
  const context = await browser.newContext();
  try {
    await context.addInitScript(recordTyping, FORMATTED);
    const page = await context.newPage();
    await page.goto(merchant);
    const cdp = await context.newCDPSession(page);
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
    const navigated = page.waitForEvent("framenavigated", (frame) => frame.url().startsWith(address));
    const begun = await page.evaluate(addFrame, address);
    const frame = await navigated;
    const seenNow = () => frame.evaluate(() => (window as unknown as { seen: Partial<Seen> }).seen);
    while ((await seenNow()).typed === undefined) {
      await page.keyboard.press(KEY);
    }
    await page.keyboard.insertText(REST);
    await frame.waitForFunction(() => (window as unknown as { seen: Partial<Seen> }).seen.hydrated);
    await page.waitForFunction(() => (window as unknown as { told: { at?: number } }).told.at);
    const seen = (await seenNow()) as Seen;
    const toldAt = await page.evaluate(() => (window as unknown as { told: { at: number } }).told.at);
    const fetched = await frame.evaluate(
      (hydrated) =>
        performance
          .getEntriesByType("resource")
          .filter(
            (entry) => performance.timeOrigin + (entry as PerformanceResourceTiming).responseEnd <= hydrated,
          )
          .map(({ name }) => name),
      seen.hydrated,
    );
    const waited = { typed: seen.typed - begun, hydrated: seen.hydrated - begun, told: toldAt - begun };
    return { waited, fetched };
  } finally {
    await context.close();
  }
}

/** How long the bytes of the same files take over the same link: the document, then all that it names at once. */
async function bytesAlone(document: string, fetched: readonly string[]): Promise<number> {
  const begun = performance.now();
  await drain(document);
  await Promise.all(fetched.map(drain));
  return performance.now() - begun;
}

/** Fetches the whole body on a connection of its own. */
function drain(address: string): Promise<void> {
  const headers = { "accept-encoding": "gzip, deflate, br, zstd", accept: "*/*" };
  return new Promise((resolve, reject) => {
    get(address, { headers, agent: false }, (answer) => {
      answer.resume().on("end", resolve).on("error", reject);
    }).on("error", reject);
  });
}

function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? Number.NaN;
}

const [service, browser, merchant] = await Promise.all([
  startService(),
  startWholeBrowser(),
  startMerchantPage(),
]);
const link = await startSlowLink(service.url);
try {
  const runs: (Waited & { bytes: number })[] = [];
  for (let run = 0; run < RUNS; run++) {
    const { payload } = await service.merchant.createCharge();
    const document = `${link.url}/?${new URLSearchParams({ payload, options: JSON.stringify(ALL_FIELDS) })}`;
    const { waited, fetched } = await wait(browser, merchant.url, document);
    runs.push({ ...waited, bytes: await bytesAlone(document, fetched) });
  }
  const medianOf = (key: keyof (typeof runs)[number]) => median(runs.map((run) => run[key]));
  print({ name: "form in a frame, until a key stays", measured: medianOf("typed"), unit: "ms" });
  print({ name: "form in a frame, until the parent's message", measured: medianOf("told"), unit: "ms" });
  print({
    name: "form in a frame, until hydrated",
    measured: medianOf("hydrated"),
    unit: "ms",
    yardstick: { name: "its bytes over the same link", measured: medianOf("bytes") },
    ratio_max: HYDRATED_RATIO_MAX,
  });
} finally {
  link.stop();
  merchant.stop();
  await browser.close();
  await service.stop();
}
