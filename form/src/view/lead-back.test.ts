// The page leads back after a moment, and a shopper who does something stays.

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { leadBack, RETURN_MS } from "./lead-back.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start({ hidden = false } = {}) {
  const page = Object.assign(new EventTarget(), { hidden });
  const [leave, stay] = [vi.fn(), vi.fn()];
  const stop = leadBack(page, leave, stay);
  return { page, leave, stay, stop };
}

test("begins when the outcome was shown for five seconds", () => {
  const { page, leave, stay } = start();
  vi.advanceTimersByTime(RETURN_MS - 1);
  expect(leave).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(leave).toHaveBeenCalledOnce();
  page.dispatchEvent(new Event("keydown"));
  expect(stay).not.toHaveBeenCalled();
  expect(RETURN_MS).toBe(5_000);
});

test.each(["pointerdown", "keydown", "wheel"])("does not begin after a %s", (act) => {
  const { page, leave, stay } = start();
  vi.advanceTimersByTime(RETURN_MS - 1);
  page.dispatchEvent(new Event(act));
  vi.advanceTimersByTime(RETURN_MS);
  expect(stay).toHaveBeenCalledOnce();
  expect(leave).not.toHaveBeenCalled();
});

test("waits for a page in the background to be shown", () => {
  const { page, leave } = start({ hidden: true });
  vi.advanceTimersByTime(10 * RETURN_MS);
  expect(leave).not.toHaveBeenCalled();
  page.hidden = false;
  page.dispatchEvent(new Event("visibilitychange"));
  vi.advanceTimersByTime(RETURN_MS);
  expect(leave).toHaveBeenCalledOnce();
});

test("is given up when the page shows something else", () => {
  const { leave, stay, stop } = start();
  stop();
  vi.advanceTimersByTime(RETURN_MS);
  expect(leave).not.toHaveBeenCalled();
  expect(stay).not.toHaveBeenCalled();
});
