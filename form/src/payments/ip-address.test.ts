import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { isAddress, lookUpAddress } from "./ip-address.ts";

const URL = "https://ip.example/";

describe("the look-up of the client's address", () => {
  const fetched = vi.fn<typeof fetch>();

  beforeEach(() => {
    vi.stubGlobal("fetch", fetched);
  });

  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    fetched.mockReset();
  });

  it("returns the text of the answer", async () => {
    fetched.mockResolvedValue(new Response(" 203.0.113.7\n"));
    expect(await lookUpAddress(URL)).toBe("203.0.113.7");
    expect(fetched.mock.calls.map(([url, init]) => [url, init?.credentials])).toEqual([[URL, "omit"]]);
  });

  it("gives each try two seconds", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    fetched.mockResolvedValue(new Response("203.0.113.7"));
    await lookUpAddress(URL);
    expect(timeout.mock.calls).toEqual([[2_000]]);
  });

  it("asks again three times, and then returns nothing", async () => {
    fetched.mockRejectedValue(new TypeError("away"));
    expect(await lookUpAddress(URL)).toBe("");
    expect(fetched).toHaveBeenCalledTimes(4);
  });

  it("asks again when the service cannot answer, and takes the next answer", async () => {
    fetched.mockResolvedValueOnce(new Response("", { status: 503 }));
    fetched.mockResolvedValueOnce(new Response("2001:db8::7"));
    expect(await lookUpAddress(URL)).toBe("2001:db8::7");
  });

  it("ignores an answer that is no address", async () => {
    for (const garbage of ["", "<html>", "example.com", "1.2.3.4, 5.6.7.8", "1".repeat(1_000_000)]) {
      fetched.mockResolvedValueOnce(new Response(garbage));
      expect(await lookUpAddress(URL)).toBe("");
    }
  });
});

describe("an address", () => {
  it.each([
    "0.0.0.0",
    "255.255.255.255",
    "10.1.20.3",
    "::1",
    "2001:db8::7",
    "2001:DB8:0:0:0:0:0:7",
    "::ffff:203.0.113.7",
  ])("%s is one", (text) => expect(isAddress(text)).toBe(true));

  it.each([
    "",
    "1",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "01.2.3.4",
    "1.2.3.4 ",
    "0x1.2.3.4",
    ":",
    "::g",
    "1::2::3",
    "[::1]",
    "::1]/x[",
    "fe80::1%25eth0",
  ])("%j is none", (text) => expect(isAddress(text)).toBe(false));
});
