// The time from a key press until the page has painted the result, on a processor that is slowed down four times.
//
// The keys are trusted events. The time starts at the event's own time stamp, before the event reaches the page, and ends
// when the frame with the new text is painted. The browser does not wait for the display's next refresh before it paints,
// so only its work is measured. The time is compared with that of a plain input in an empty document.
//
// Every round presses the same keys, and the result of a press is its median over the rounds. A press that the page makes
// slow is slow in every round; a pause of the machine makes a different press slow each time.
//
// Then the same keys are pressed once more while the browser traces what its main thread does for each: script, style,
// layout and paint, in the processor's time.

import type { Browser, Page } from "playwright-core";

import { startWholeBrowser } from "../src/browser.ts";
import { ALL_FIELDS, openStandalone } from "../src/form-page.ts";
import { startService } from "../src/service.ts";
import { CARDS } from "../src/shopper.ts";
import { tracedPresses, type Work } from "./main-thread.ts";
import { print } from "./row.ts";

const CPU_SLOWDOWN = 4;
const BUDGET_MS = 16;
/** Rounds of a whole card, typed and deleted again: some hundreds of key presses. */
const ROUNDS = 9;
/** Rounds that are traced. */
const TRACED_ROUNDS = 5;
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

/** How long each press took until it was painted, and what the main thread did for each. */
async function measure(browser: Browser, page: Page, texts: Texts) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  await page.evaluate(recordKeyPresses);
  await typeRounds(page, texts, WARM_UP_ROUNDS);
  await page.evaluate(() => (window as unknown as { samples: number[] }).samples.splice(0));
  await typeRounds(page, texts, ROUNDS);
  const times = await page.evaluate(() => (window as unknown as { samples: number[] }).samples);
  const work = await tracedPresses(browser, page, () => typeRounds(page, texts, TRACED_ROUNDS));
  return { times, work };
}

/** The time of each press of a round: the median of the same press over all rounds. */
function medianOfEachPress(samples: readonly number[], rounds: number): number[] {
  const presses = samples.length / rounds;
  if (!Number.isInteger(presses)) {
    throw new Error(`${samples.length} presses are not the same number in each of ${rounds} rounds`);
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

const WORK: Readonly<Record<string, (work: Work) => number>> = {
  "script, style, layout and paint": ({ script, style, layout, paint }) => script + style + layout + paint,
  script: ({ script }) => script,
  style: ({ style }) => style,
  layout: ({ layout }) => layout,
  paint: ({ paint }) => paint,
};

const [service, browser] = await Promise.all([startService(), startWholeBrowser(PAINT_AT_ONCE)]);
try {
  const { page } = await openStandalone(service, browser, ALL_FIELDS);
  const form = await measure(browser, page, CARD);
  const bare = await browser.newPage();
  await bare.setContent(CARD.map(([id]) => `<input id="${id}">`).join(""));
  const plain = await measure(browser, bare, CARD);
  const row = (
    name: string,
    share: number,
    samplesOf: (of: typeof form) => readonly number[],
    max?: number,
  ) =>
    print({
      name: `${name}, ${share === 0.5 ? "median" : `p${share * 100}`}`,
      measured: percentile(samplesOf(form), share),
      unit: "ms",
      yardstick: { name: "a bare input", measured: percentile(samplesOf(plain), share) },
      ...(max !== undefined && { measured_max: max }),
    });
  const eachPress = ({ times }: typeof form) => medianOfEachPress(times, ROUNDS);
  row("key press to paint, 4× slowed", 0.99, eachPress, BUDGET_MS);
  row("key press to paint, 4× slowed", 0.5, eachPress);
  row("the same with the machine's stalls", 0.99, ({ times }) => times);
  for (const [kind, of] of Object.entries(WORK)) {
    for (const share of [0.99, 0.5]) {
      row(`${kind} for a key press, 4× slowed`, share, ({ work }) =>
        medianOfEachPress(work.map(of), TRACED_ROUNDS),
      );
    }
  }
} finally {
  await browser.close();
  await service.stop();
}
