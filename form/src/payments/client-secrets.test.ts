// The client secrets: one request serves everything that waits, and each waits as long as it may.

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { FormPage } from "../../generated/wire.ts";
import { ANSWER_TIMEOUT_MS, ClientSecrets } from "./client-secrets.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Secrets that a parent gives, and what each caller of `fresh` has got. */
function asked() {
  const ask = vi.fn();
  const secrets = new ClientSecrets({} as FormPage, null, ask);
  const got: (string | null)[] = [];
  const wait = () => void secrets.fresh().then((secret) => got.push(secret));
  return { ask, secrets, got, wait };
}

test("one request serves all that wait", async () => {
  const { ask, secrets, got, wait } = asked();
  wait();
  wait();
  secrets.handOver("secret");
  await vi.runAllTimersAsync();
  expect(got).toEqual(["secret", "secret"]);
  expect(ask).toHaveBeenCalledOnce();
});

test("a payment that joins a request late waits its whole time", async () => {
  const { ask, secrets, got, wait } = asked();
  wait();
  await vi.advanceTimersByTimeAsync(ANSWER_TIMEOUT_MS - 1);
  wait();
  await vi.advanceTimersByTimeAsync(ANSWER_TIMEOUT_MS - 1);
  expect(got).toEqual([null]);
  // The first request had no answer.
  expect(ask).toHaveBeenCalledTimes(2);
  secrets.handOver("secret");
  await vi.runAllTimersAsync();
  expect(got).toEqual([null, "secret"]);
  expect(ask).toHaveBeenCalledTimes(2);
});

test("after a request without an answer a new one is made", async () => {
  const { ask, got, wait } = asked();
  wait();
  await vi.advanceTimersByTimeAsync(ANSWER_TIMEOUT_MS);
  wait();
  await vi.advanceTimersByTimeAsync(ANSWER_TIMEOUT_MS);
  expect(got).toEqual([null, null]);
  expect(ask).toHaveBeenCalledTimes(2);
});
