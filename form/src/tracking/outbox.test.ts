// Batches: how many events, when, what is sent again, and what gives way.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { EventRecord } from "../../generated/wire.ts";
import { createOutbox, type RetriablePlaces, WAITING_MAX } from "./outbox.ts";

/** A record whose name is `name`, with as many bytes more as are wanted. */
function record(name: string, padding = 0): EventRecord {
  return { key: "v", value: { name, title: "x".repeat(padding) } } as unknown as EventRecord;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An outbox whose service is the test's. */
function drive() {
  const batches: string[][] = [];
  const sizes: number[] = [];
  const answers: ((posted: RetriablePlaces) => void)[] = [];
  let overflows = 0;
  const outbox = createOutbox(
    (body, count) => {
      const { records } = JSON.parse(body) as { records: EventRecord[] };
      expect(records.length).toBe(count);
      sizes.push(new TextEncoder().encode(body).length);
      batches.push(records.map(({ value }) => value.name));
      return new Promise((resolve) => answers.push(resolve));
    },
    () => {
      overflows += 1;
    },
  );
  return {
    ...outbox,
    batches,
    sizes,
    overflows: () => overflows,
    addAll: (count: number, from = 0) => {
      for (let index = from; index < from + count; index += 1) outbox.add(record(String(index)));
    },
    /** The service answers the oldest batch that waits for it. */
    answer: async (retriable: RetriablePlaces = []) => {
      answers.shift()?.(retriable);
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, place) => String(from + place));

describe("events", () => {
  it("wait two seconds for others, and are posted together in order", () => {
    const outbox = drive();
    outbox.addAll(2);
    vi.advanceTimersByTime(1_000);
    outbox.addAll(1, 2);
    vi.advanceTimersByTime(999);
    expect(outbox.batches).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(outbox.batches).toEqual([["0", "1", "2"]]);
  });

  it("do not wait once there are fifty", async () => {
    const outbox = drive();
    outbox.addAll(51);
    expect(outbox.batches).toEqual([numbers(0, 50)]);
    await outbox.answer();
    vi.advanceTimersByTime(2_000);
    expect(outbox.batches).toEqual([numbers(0, 50), ["50"]]);
  });

  it("are posted one batch at a time while the page is open", async () => {
    const outbox = drive();
    outbox.addAll(50);
    outbox.addAll(60, 50);
    vi.advanceTimersByTime(60_000);
    expect(outbox.batches.length).toBe(1);
    await outbox.answer();
    vi.advanceTimersByTime(2_000);
    expect(outbox.batches.length).toBe(2);
    await outbox.answer();
    vi.advanceTimersByTime(2_000);
    expect(outbox.batches.flat()).toEqual(numbers(0, 110));
  });

  it("are all posted at once when the page is hidden", () => {
    const outbox = drive();
    outbox.addAll(50);
    outbox.addAll(60, 50);
    outbox.flush();
    expect(outbox.batches.map(({ length }) => length)).toEqual([50, 50, 10]);
    outbox.flush();
    vi.advanceTimersByTime(60_000);
    expect(outbox.batches.length).toBe(3);
  });

  it("leave room for the direct charge", () => {
    const outbox = drive();
    for (let index = 0; index < 10; index += 1) outbox.add(record(`${index}ก`, 9_000));
    outbox.flush();
    expect(outbox.batches.map(({ length }) => length)).toEqual([3, 3, 3, 1]);
    for (const size of outbox.sizes) expect(size).toBeLessThanOrEqual(30_000);
  });

  it("that are too long for a batch are posted alone", () => {
    const outbox = drive();
    outbox.add(record("long", 40_000));
    outbox.add(record("short"));
    outbox.flush();
    expect(outbox.batches).toEqual([["long"], ["short"]]);
  });
});

describe("events that the service could not accept", () => {
  it("are sent once more, before the others and some seconds later", async () => {
    const outbox = drive();
    outbox.addAll(3);
    vi.advanceTimersByTime(2_000);
    outbox.addAll(1, 3);
    await outbox.answer([0, 2]);
    vi.advanceTimersByTime(2_000);
    // The timer of the one that came meanwhile takes them along.
    expect(outbox.batches).toEqual([
      ["0", "1", "2"],
      ["0", "2", "3"],
    ]);
    await outbox.answer([0, 1, 2]);
    vi.advanceTimersByTime(5_999);
    expect(outbox.batches.length).toBe(2);
    vi.advanceTimersByTime(1);
    expect(outbox.batches.at(-1)).toEqual(["3"]);
    await outbox.answer([0]);
    vi.advanceTimersByTime(60_000);
    expect(outbox.batches.length).toBe(3);
  });

  it("are posted with the others when the page is hidden", async () => {
    const outbox = drive();
    outbox.addAll(1);
    vi.advanceTimersByTime(2_000);
    await outbox.answer([0]);
    outbox.flush();
    expect(outbox.batches).toEqual([["0"], ["0"]]);
  });
});

it("are limited in number, and the oldest are dropped", () => {
  const outbox = drive();
  // The first fifty are on their way, and their answer never comes.
  outbox.addAll(50 + WAITING_MAX);
  expect(outbox.overflows()).toBe(0);
  outbox.addAll(2, 50 + WAITING_MAX);
  expect(outbox.overflows()).toBe(2);
  outbox.flush();
  expect(outbox.batches.slice(1).flat()).toEqual(numbers(52, 52 + WAITING_MAX));
});
