// The time from a key press until the page has painted the result, on a processor that is slowed down four times.
//
// The keys are trusted events. The time starts at the event's own time stamp, before the event reaches the page, and ends
// when the frame with the new text is painted. The browser does not wait for the display's next refresh before it paints,
// so only its work is measured. The time is compared with that of a plain input in an empty document.
//
// Every round presses the same keys, and the result of a press is its median over the rounds. A press that the page makes
// slow is slow in every round; a pause of the machine makes a different press slow each time.

import type { Page } from "playwright-core";

import { startWholeBrowser } from "../src/browser.ts";
import { ALL_FIELDS, openStandalone } from "../src/form-page.ts";
import { startService } from "../src/service.ts";
import { CARDS } from "../src/shopper.ts";
import { print } from "./row.ts";

const CPU_SLOWDOWN = 4;
const BUDGET_MS = 16;
/** Rounds of a whole card, typed and deleted again: some hundreds of key presses. */
const ROUNDS = 9;
/** The browser compiles the script during the first presses. That happens only once, so these are not measured. */
const WARM_UP_ROUNDS = 1;
/** With these arguments the browser paints as soon as there is something to paint. */
const PAINT_AT_ONCE = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

const CARD: readonly (readonly [string, string])[] = [
  ["card-number", CARDS.approved],
  ["card-expiry", "1234"],
  ["card-security-code", "123"],
  ["card-holder-name", "Ana Maria Bell"],
  ["card-holder-email", "ana@example.com"],
];

/** Runs in the page: records for each key press how long it took until it was painted. */
function recordKeyPresses(): void {
  const samples: number[] = [];
  let painted = () => {};
  Object.assign(window, {
    samples,
    /** Resolves when the next key press is painted. */
    nextPaint: () =>
      new Promise<void>((resolve) => {
        painted = resolve;
      }),
  });
  document.addEventListener(
    "keydown",
    ({ timeStamp }) => {
      requestAnimationFrame(() => {
        // A message that is posted before the paint is received after it.
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

type Texts = readonly (readonly [string, string])[];

/** In each round: types the card into the inputs, corrects the last character of each, and deletes it again. */
async function typeRounds(page: Page, texts: Texts, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const [id, text] of texts) {
      await page.focus(`#${id}`);
      for (const key of text) {
        await press(page, key);
      }
      await page.focus(`#${id}`);
      await press(page, "End");
      await press(page, "Backspace");
      await press(page, text.at(-1) ?? "");
    }
    for (const [id, text] of texts) {
      await page.focus(`#${id}`);
      await press(page, "End");
      for (let left = text.length + 3; left > 0; left--) {
        await press(page, "Backspace");
      }
    }
  }
}

/** How long each press took until it was painted. */
async function measure(page: Page, texts: Texts): Promise<number[]> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  await page.evaluate(recordKeyPresses);
  await typeRounds(page, texts, WARM_UP_ROUNDS);
  await page.evaluate(() => (window as unknown as { samples: number[] }).samples.splice(0));
  await typeRounds(page, texts, ROUNDS);
  return page.evaluate(() => (window as unknown as { samples: number[] }).samples);
}

/** The time of each press of a round: the median of the same press over all rounds. */
function medianOfEachPress(samples: readonly number[]): number[] {
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

const [service, browser] = await Promise.all([startService(), startWholeBrowser(PAINT_AT_ONCE)]);
try {
  const { page } = await openStandalone(service, browser, ALL_FIELDS);
  const form = await measure(page, CARD);
  const bare = await browser.newPage();
  await bare.setContent(CARD.map(([id]) => `<input id="${id}">`).join(""));
  const plain = await measure(bare, CARD);
  const row = (name: string, measured: number, yardstick: number, max?: number) =>
    print({
      name,
      measured,
      unit: "ms",
      yardstick: { name: "a bare input", measured: yardstick },
      ...(max !== undefined && { measured_max: max }),
    });
  const [presses, plainPresses] = [medianOfEachPress(form), medianOfEachPress(plain)];
  const name = "key press to paint, 4× slowed";
  row(`${name}, p99`, percentile(presses, 0.99), percentile(plainPresses, 0.99), BUDGET_MS);
  row(`${name}, median`, percentile(presses, 0.5), percentile(plainPresses, 0.5));
  row("the same with the machine's stalls, p99", percentile(form, 0.99), percentile(plain, 0.99));
} finally {
  await browser.close();
  await service.stop();
}
