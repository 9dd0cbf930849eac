// What the main thread of a page does for each key press, from Chromium's own trace. It counts the thread's processor
// time, so what else runs on the machine changes little.

import type { Browser, Page } from "playwright-core";

/** What the main thread does, in milliseconds of its processor time. */
export interface Work {
  readonly script: number;
  readonly style: number;
  readonly layout: number;
  readonly paint: number;
}

const CATEGORIES = ["devtools.timeline"];

/** The trace's names of what is not script. */
const KINDS: Readonly<Record<string, keyof Work>> = {
  UpdateLayoutTree: "style",
  Layout: "layout",
  PrePaint: "paint",
  Paint: "paint",
  Layerize: "paint",
  Commit: "paint",
};
/** What begins a piece of the page's own work. Work outside of these is the measurement's. */
const ENTRIES = new Set([
  "EventDispatch",
  "FireAnimationFrame",
  "FireIdleCallback",
  "HandlePostMessage",
  "RunMicrotasks",
  "TimerFire",
]);

/** An event of the trace; times are in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Processor time of the thread. */
  readonly tdur?: number;
  readonly args?: { readonly data?: { readonly type?: string } };
}

/** Traces what the page does while `type` presses keys, and tells the work of each press. */
export async function tracedPresses(
  browser: Browser,
  page: Page,
  type: () => Promise<unknown>,
): Promise<Work[]> {
  await browser.startTracing(page, { categories: CATEGORIES });
  await type();
  const trace = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  return workOfEachPress(trace.traceEvents);
}

/** The work from each press of a key to the next one. */
function workOfEachPress(trace: readonly TraceEvent[]): Work[] {
  const pressed = trace.filter(
    ({ name, args }) => name === "EventDispatch" && args?.data?.type === "keydown",
  );
  const { pid, tid } = pressed[0] ?? { pid: 0, tid: 0 };
  const events = trace
    .filter((event) => event.pid === pid && event.tid === tid && event.ph === "X")
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const presses: Record<keyof Work, number>[] = [];
  /** The events that the present one lies in: when each ends, and what its time counts as. */
  const open: { end: number; kind: keyof Work | null }[] = [];
  for (const event of events) {
    if (pressed.includes(event)) {
      presses.push({ script: 0, style: 0, layout: 0, paint: 0 });
    }
    const press = presses.at(-1);
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= event.ts) {
      open.pop();
    }
    const around = open.at(-1)?.kind ?? null;
    const kind = KINDS[event.name] ?? around ?? (ENTRIES.has(event.name) ? "script" : null);
    open.push({ end: event.ts + (event.dur ?? 0), kind });
    const ms = (event.tdur ?? event.dur ?? 0) / 1_000;
    if (press !== undefined && kind !== around) {
      press[kind ?? "script"] += ms;
      if (around !== null) {
        press[around] -= ms;
      }
    }
  }
  return presses;
}
