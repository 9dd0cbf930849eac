// What happens is heard of a moment later, in its order, once.

import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { createDelayedListener } from "./delayed-listener.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function drive() {
  const heard: string[] = [];
  return { heard, ...createDelayedListener<string>((activity) => heard.push(activity)) };
}

it("is called after the screen has changed, in order", () => {
  const { heard, later } = drive();
  later("a");
  vi.advanceTimersByTime(60);
  later("b");
  expect(heard).toEqual([]);
  vi.advanceTimersByTime(40);
  expect(heard).toEqual(["a", "b"]);
  later("c");
  vi.advanceTimersByTime(100);
  expect(heard).toEqual(["a", "b", "c"]);
});

it("is called at once when the page may close, once for each activity", () => {
  const { heard, later, now } = drive();
  later("a");
  later("b");
  now();
  expect(heard).toEqual(["a", "b"]);
  now();
  vi.advanceTimersByTime(1_000);
  expect(heard).toEqual(["a", "b"]);
});
