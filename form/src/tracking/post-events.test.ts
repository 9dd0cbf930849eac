// What is posted, and what each answer makes of it.

import { afterEach, describe, expect, it, vi } from "vitest";

import { createPost } from "./post-events.ts";

const BODY = '{"records":[{"key":"v","value":1},{"key":"v","value":2},{"key":"v","value":3}]}';

/** Posts to a service that does `answer`. */
function drive(answer: (init: RequestInit) => Response | Promise<Response>) {
  const lines: string[] = [];
  const requests: { readonly path: string; readonly init: RequestInit }[] = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    requests.push({ path, init });
    return answer(init);
  });
  const post = createPost("cardform-events", (line) => lines.push(line));
  return { post, lines, requests };
}

afterEach(() => vi.unstubAllGlobals());

const offsets = (...codes: (number | null)[]) =>
  Response.json({
    offsets: codes.map((error_code) => ({ partition: 0, offset: 1, error_code, error: null })),
    key_schema_id: null,
    value_schema_id: null,
  });

describe("a batch", () => {
  it("is posted to the topic at the page's origin, and outlives the page", async () => {
    const { post, requests, lines } = drive(() => offsets(null, null, null));
    expect(await post(BODY, 3)).toEqual([]);
    expect(requests).toMatchObject([
      {
        path: "/topics/cardform-events",
        init: {
          method: "POST",
          headers: { "Content-Type": "application/vnd.kafka.json.v2+json" },
          body: BODY,
          keepalive: true,
          credentials: "omit",
        },
      },
    ]);
    expect(lines).toEqual([]);
  });

  it("that is empty is an error", async () => {
    const { post, requests } = drive(() => offsets());
    await expect(post('{"records":[]}', 0)).rejects.toThrow("An event batch is empty.");
    expect(requests).toEqual([]);
  });

  it("does not outlive the page if the direct charge needs the space", async () => {
    const release: (() => void)[] = [];
    const { post, requests } = drive(() => new Promise((resolve) => release.push(() => resolve(offsets()))));
    const body = "x".repeat(20_000);
    const both = [post(body, 1), post(body, 1)];
    expect(requests.map(({ init }) => init.keepalive)).toEqual([true, false]);
    for (const answer of release) answer();
    await Promise.all(both);
    void post(body, 1);
    expect(requests.at(-1)?.init.keepalive).toBe(true);
  });
});

describe("an answer", () => {
  it.each([
    ["offsets", () => offsets(null, null, null), []],
    ["a retriable and a final error", () => offsets(50003, null, 50002), [0]],
    ["all retriable", () => offsets(50003, 50003, 50003), [0, 1, 2]],
    ["more offsets than events", () => offsets(null, null, null, 50003), []],
    ["offsets that are none", () => Response.json({ offsets: "all" }), []],
    ["offsets of something else", () => Response.json({ offsets: [null, 7, "x"] }), []],
    ["null", () => Response.json(null), []],
    ["a number", () => Response.json(7), []],
  ])("of %s is accepted and not logged", async (_, answer, retriable) => {
    const { post, lines } = drive(answer);
    expect(await post(BODY, 3)).toEqual(retriable);
    expect(lines).toEqual([]);
  });

  it.each([
    [400, []],
    [404, []],
    [413, []],
    [415, []],
    [422, []],
    [429, [0, 1, 2]],
    [500, [0, 1, 2]],
    [503, [0, 1, 2]],
  ])("with %i is logged, and sent again only where that can help", async (status, retriable) => {
    const { post, lines } = drive(() => new Response("<html>", { status }));
    expect(await post(BODY, 3)).toEqual(retriable);
    expect(lines).toEqual([`HTTP response error! Status: ${status}`]);
  });

  it("that is no JSON counts as accepted", async () => {
    const { post, lines } = drive(() => new Response("<html>"));
    expect(await post(BODY, 3)).toEqual([]);
    expect(lines).toEqual(["Events were answered with something else than JSON."]);
  });

  it.each([
    ["the network is down", () => Promise.reject(new TypeError("Failed to fetch"))],
    ["it does not come in time", () => Promise.reject(new DOMException("late", "TimeoutError"))],
  ])("is not awaited when %s, and the events are sent again", async (_, answer) => {
    const { post, lines } = drive(answer);
    expect(await post(BODY, 3)).toEqual([0, 1, 2]);
    expect(lines).toEqual(["Events could not be posted."]);
  });
});
