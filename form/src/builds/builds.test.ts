// Newer builds, scripts fetched ahead, and scripts that do not come.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { FormPage } from "../../generated/wire.ts";
import { chunksOf, fetchAhead } from "../deferred.ts";
import type { FormStore } from "../form-store.ts";
import { reloadOnce } from "./failed-chunk.ts";
import { fetchAgain, LOAD_MS_MAX } from "./fetch-again.ts";
import { followBuilds, UPDATED_EVENT } from "./follow-builds.ts";

const HOUR_MS = 3_600_000;

describe("the latest build", () => {
  const raised: unknown[] = [];
  let latest: () => Response;
  let asked: string[];

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000 });
    raised.length = 0;
    asked = [];
    const target = new EventTarget();
    target.addEventListener(UPDATED_EVENT, (event) => raised.push((event as CustomEvent).detail));
    vi.stubGlobal("window", target);
    vi.stubGlobal("fetch", async (path: string) => {
      asked.push(path);
      return path.startsWith("/builds/latest.json") ? latest() : Response.json({});
    });
    latest = () => Response.json({ id: "one" });
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  test("is asked for once per hour, and only another one is reported, once", async () => {
    followBuilds("one", undefined);
    await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
    expect(asked).toEqual(["/builds/meta/one.json"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked.at(-1)).toBe(`/builds/latest.json?${HOUR_MS + 1_000}`);
    expect(raised).toEqual([]);
    latest = () => Response.json({ id: "two" });
    await vi.advanceTimersByTimeAsync(3 * HOUR_MS);
    expect(raised).toEqual([{ id: "two" }]);
  });

  test.each([
    ["an error", () => new Response("", { status: 503 })],
    ["no JSON", () => new Response("<html>")],
    ["no id", () => Response.json({ id: 7 })],
    ["nothing", () => Promise.reject(new TypeError("offline")) as unknown as Response],
  ])("of which the server says %s is asked for again an hour later", async (_, answer) => {
    latest = answer;
    followBuilds("one", { effectiveType: "4g" });
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    latest = () => Response.json({ id: "two" });
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(raised).toEqual([{ id: "two" }]);
  });

  test("on the slowest connection no manifest is fetched", () => {
    followBuilds("one", { effectiveType: "slow-2g" });
    expect(asked).toEqual([]);
  });
});

describe("scripts that may be needed", () => {
  test("are at most four, because they are fetched at once", () => {
    const page = { device_data_timeout_ms: 1_000 } as FormPage;
    const store = { config: { offersSavedCards: true } } as FormStore;
    expect(chunksOf(page, store).length).toBeLessThanOrEqual(4);
  });

  test("are not fetched on a slow connection or by a shopper who saves data", () => {
    const load = vi.fn(async () => {});
    for (const connection of [{ saveData: true }, { effectiveType: "2g" }, { effectiveType: "slow-2g" }]) {
      fetchAhead([load], connection);
    }
    expect(load).not.toHaveBeenCalled();
  });

  test("may fail, and the others are still fetched", () => {
    const loaded = vi.fn(async () => {});
    fetchAhead([() => Promise.reject(new Error("offline")), loaded], undefined);
    expect(loaded).toHaveBeenCalledOnce();
  });
});

describe("a script that cannot be loaded", () => {
  const reload = vi.fn();
  const openPage = (pathname: string) => vi.stubGlobal("location", { pathname, reload });

  beforeEach(() => {
    vi.useFakeTimers();
    reload.mockClear();
    const kept = new Map<string, string>();
    vi.stubGlobal("sessionStorage", {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
    });
    openPage("/");
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  test("reloads the page, once in ten seconds for each path", () => {
    reloadOnce(true);
    vi.advanceTimersByTime(9_999);
    reloadOnce(true);
    expect(reload).toHaveBeenCalledTimes(1);
    openPage("/th-TH");
    reloadOnce(true);
    expect(reload).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(10_000);
    reloadOnce(true);
    expect(reload).toHaveBeenCalledTimes(3);
  });

  test("does not reload a page with typed text, or without storage", () => {
    reloadOnce(false);
    const denied = () => {
      throw new Error("denied");
    };
    vi.stubGlobal("sessionStorage", { getItem: denied, setItem: denied });
    reloadOnce(true);
    expect(reload).not.toHaveBeenCalled();
  });
});

describe("a script that stalls", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("counts as not loaded after its time, also on a later try", async () => {
    for (const load of [
      () => new Promise<void>(() => {}),
      vi.fn(() => new Promise<void>(() => {})).mockRejectedValueOnce(new Error("offline")),
    ]) {
      const failed = vi.fn();
      fetchAgain(load).catch(failed);
      await vi.advanceTimersByTimeAsync(LOAD_MS_MAX - 1);
      expect(failed).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(failed).toHaveBeenCalledOnce();
    }
  });
});
