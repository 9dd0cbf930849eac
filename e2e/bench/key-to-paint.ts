// How long it takes from a key press until the page has painted what it did, on a processor slowed four times.
//
// The keys are trusted events; the clock starts at the event's own time stamp, before it reaches the page, and stops when
// the frame with the new text has been painted. The browser paints without waiting for a display's next refresh, so the
// figure is the work and not the wait. It is compared with a bare input in an empty document: what the browser itself takes.
//
// The same keys are pressed in every round, and each press counts with its median over the rounds: a press that is slow
// is slow in each of them, while a stall of the machine hits another press each time.

import type { Page } from "playwright-core";

import { startWholeBrowser } from "../src/browser.ts";
import { ALL_FIELDS, openStandalone } from "../src/form-page.ts";
import { startService } from "../src/service.ts";
import { CARDS } from "../src/shopper.ts";
import { print } from "./row.ts";

const SLOWED = 4;
const BUDGET_MS = 16;
/** Rounds of a whole card, typed and deleted again: some hundreds of key presses. */
const ROUNDS = 9;
/** During the first presses the script is compiled, which happens only once. */
const WARM_UP_ROUNDS = 1;
/** Paints as soon as there is something to paint. */
const UNPACED = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

const CARD: readonly (readonly [string, string])[] = [
  ["card-number", CARDS.approved],
  ["card-expiry", "1234"],
  ["card-security-code", "123"],
  ["card-holder-name", "Ana Maria Bell"],
  ["card-holder-email", "ana@example.com"],
];

/** Runs in the page: notes for each key press how long it took to be painted. */
function watchKeys(): void {
  const samples: number[] = [];
  let painted = () => {};
  Object.assign(window, {
    samples,
    /** Settles when the key press after this call has been painted. */
    nextPaint: () =>
      new Promise<void>((resolve) => {
        painted = resolve;
      }),
  });
  document.addEventListener(
    "keydown",
    ({ timeStamp }) => {
      requestAnimationFrame(() => {
        // A message that is sent while the frame is made is received once it has been painted.
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          samples.push(performance.now() - timeStamp);
          painted();
        };
        port2.postMessage(null);
      });
    },
    { capture: true },
  );
}

async function press(page: Page, key: string) {
  await page.evaluate(() => {
    const measured = window as unknown as { nextPaint: () => Promise<void>; awaited: Promise<void> };
    measured.awaited = measured.nextPaint();
  });
  await page.keyboard.press(key);
  await page.evaluate(() => (window as unknown as { awaited: Promise<void> }).awaited);
}

/** Types the card into the inputs, corrects it in the middle, and deletes it, over and over. */
async function measure(page: Page, ids: readonly (readonly [string, string])[]): Promise<number[]> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWED });
  await page.evaluate(watchKeys);
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    if (round === WARM_UP_ROUNDS) {
      await page.evaluate(() => (window as unknown as { samples: number[] }).samples.splice(0));
    }
    for (const [id, text] of ids) {
      await page.focus(`#${id}`);
      for (const key of text) {
        await press(page, key);
      }
      await page.focus(`#${id}`);
      await press(page, "End");
      await press(page, "Backspace");
      await press(page, text.at(-1) ?? "");
    }
    for (const [id, text] of ids) {
      await page.focus(`#${id}`);
      await press(page, "End");
      for (let left = text.length + 3; left > 0; left--) {
        await press(page, "Backspace");
      }
    }
  }
  return page.evaluate(() => (window as unknown as { samples: number[] }).samples);
}

/** What each press of a round took: the median of the same press over the rounds. */
function pressesOf(samples: readonly number[]): number[] {
  const presses = samples.length / ROUNDS;
  if (!Number.isInteger(presses)) {
    throw new Error(`${samples.length} presses are not the same number in each of ${ROUNDS} rounds`);
  }
  return Array.from({ length: presses }, (_, press) =>
    percentile(
      samples.filter((_, sample) => sample % presses === press),
      0.5,
    ),
  );
}

function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

const [service, browser] = await Promise.all([startService(), startWholeBrowser(UNPACED)]);
try {
  const { page } = await openStandalone(service, browser, ALL_FIELDS);
  const form = await measure(page, CARD);
  const bare = await browser.newPage();
  await bare.setContent(CARD.map(([id]) => `<input id="${id}">`).join(""));
  const plain = await measure(bare, CARD);
  for (const [name, samplesOf, share, max] of [
    ["key press to paint, 4× slowed, p99", pressesOf, 0.99, BUDGET_MS],
    ["key press to paint, 4× slowed, median", pressesOf, 0.5, undefined],
    ["the same with the machine's stalls, p99", (all: readonly number[]) => all, 0.99, undefined],
  ] as const) {
    print({
      name,
      measured: percentile(samplesOf(form), share),
      unit: "ms",
      yardstick: { name: "a bare input", measured: percentile(samplesOf(plain), share) },
      ...(max !== undefined && { measured_max: max }),
    });
  }
} finally {
  await browser.close();
  await service.stop();
}
