import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { Field } from "../card/field.ts";
import { createDeviceData } from "./device-data.ts";
import { readSessionId } from "./device-data-collection.ts";

const COMPLETED = { MessageType: "profile.completed", SessionId: "session-1", Status: true };
const CALLER = {
  clientSecret: `h.${Buffer.from('{"sub":"p","charge_id":"ch_1"}').toString("base64url")}.s`,
  cookieId: "c1",
  service: { base: "", direct_charges: "/v1/pub/direct/charges" },
  meant: { partnerId: "p", chargeId: "ch_1", parentOrigin: null },
};
const COLLECT = "https://provider.example/collect";
const TIMEOUT_MS = 10_000;

describe("the message of the provider's page", () => {
  test.each([
    ["an object", COMPLETED],
    ["its JSON", JSON.stringify(COMPLETED)],
    ["nothing more than what is needed", { SessionId: "session-1", Status: true }],
  ])("%s tells the session", (_, data) => {
    expect(readSessionId(data)).toBe("session-1");
  });

  test.each([
    ["nothing", undefined],
    ["a number", 7],
    ["a list", [COMPLETED]],
    ["no JSON", "{"],
    ["JSON of nothing", "null"],
    ["Status false", JSON.stringify({ ...COMPLETED, Status: false })],
    ["Status as text", JSON.stringify({ ...COMPLETED, Status: "true" })],
    ["no session", JSON.stringify({ ...COMPLETED, SessionId: undefined })],
    ["an empty session", JSON.stringify({ ...COMPLETED, SessionId: "" })],
    ["a session that the server refuses", JSON.stringify({ ...COMPLETED, SessionId: "x".repeat(256) })],
  ])("%s tells none", (_, data) => {
    expect(readSessionId(data)).toBeNull();
  });
});

describe("a collection", () => {
  interface StandInElement {
    readonly tag: string;
    readonly contentWindow: object;
    readonly children: StandInElement[];
    name: string;
    value: string;
    action: string;
    target: string;
    removed: boolean;
  }
  let elements: StandInElement[];
  let listeners: ((event: unknown) => void)[];
  let submitted: StandInElement[];
  let initiations: number;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), ms);
      return controller.signal;
    });
    elements = [];
    listeners = [];
    submitted = [];
    initiations = 0;
    const createElement = (tag: string) => {
      const element = {
        tag,
        contentWindow: {},
        children: [] as StandInElement[],
        name: "",
        value: "",
        action: "",
        target: "",
        removed: false,
        append: (...children: StandInElement[]) => element.children.push(...children),
        remove: () => {
          element.removed = true;
        },
        submit: () => submitted.push(element),
      };
      elements.push(element);
      return element;
    };
    vi.stubGlobal("document", { createElement, body: { append: () => {} } });
    vi.stubGlobal("window", {
      addEventListener: (
        _: string,
        listener: (event: unknown) => void,
        { signal }: { signal: AbortSignal },
      ) => {
        listeners.push(listener);
        signal.addEventListener("abort", () => {
          listeners = listeners.filter((other) => other !== listener);
        });
      },
    });
    vi.stubGlobal("fetch", () => {
      initiations += 1;
      return Promise.resolve(Response.json({ jwt: "token", url: COLLECT }));
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  const number = (text: string, state: Field["state"] = "CompletedAndValid"): Field => ({
    text,
    state,
    errorId: null,
  });
  const deviceData = (timeoutMs: number | null = TIMEOUT_MS) =>
    createDeviceData(timeoutMs, () => Promise.resolve(CALLER));
  const deliver = (event: { origin?: string; source?: unknown; data?: unknown }) => {
    const source = elements.find(({ tag }) => tag === "iframe")?.contentWindow;
    const origin = "https://provider.example";
    for (const listener of listeners) {
      listener({ source, origin, data: JSON.stringify(COMPLETED), ...event });
    }
  };
  const posted = () => vi.waitFor(() => expect(submitted).toHaveLength(1));

  test("posts the first six digits and the token, and takes the session", async () => {
    const collecting = deviceData();
    collecting.cardNumberIs(number("4242 4242 4242 4242"));
    await posted();
    const [form] = submitted;
    expect(form?.action).toBe(COLLECT);
    expect(form?.target).toBe(elements[0]?.name);
    expect(form?.children.map(({ name, value }) => [name, value])).toEqual([
      ["Bin", "424242"],
      ["JWT", "token"],
    ]);
    deliver({});
    expect(await collecting.sessionId()).toBe("session-1");
    expect(elements.filter(({ tag }) => tag !== "input").every(({ removed }) => removed)).toBe(true);
  });

  test("ignores other origins and frames, and gives up after its time", async () => {
    const collecting = deviceData();
    collecting.cardNumberIs(number("4242 4242 4242 4242"));
    await posted();
    deliver({ origin: "https://provider.example.evil.example" });
    deliver({ origin: "http://provider.example" });
    deliver({ source: {} });
    expect(listeners).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    expect(await collecting.sessionId()).toBeNull();
    expect(listeners).toEqual([]);
  });

  test.each([
    ["Status false", { data: JSON.stringify({ ...COMPLETED, Status: false }) }],
    ["no session yet", { data: { MessageType: "profile.started", Status: true } }],
    ["what cannot be read", { data: "{" }],
  ])("waits on after %s", async (_, early) => {
    const collecting = deviceData();
    collecting.cardNumberIs(number("4242 4242 4242 4242"));
    await posted();
    deliver(early);
    expect(listeners).toHaveLength(1);
    deliver({ data: COMPLETED });
    expect(await collecting.sessionId()).toBe("session-1");
  });

  test("that tells no session in its time gives none", async () => {
    const collecting = deviceData();
    collecting.cardNumberIs(number("4242 4242 4242 4242"));
    await posted();
    deliver({ data: { ...COMPLETED, Status: false } });
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    expect(await collecting.sessionId()).toBeNull();
  });

  test.each([
    ["{}", () => Promise.resolve(Response.json({}))],
    ["an error", () => Promise.resolve(new Response(null, { status: 503 }))],
    ["no answer", () => Promise.reject(new Error("offline"))],
    ["a script for an address", () => Promise.resolve(Response.json({ jwt: "t", url: "javascript:0" }))],
  ])("that is answered with %s posts nothing", async (_, answer) => {
    vi.stubGlobal("fetch", answer);
    const collecting = deviceData();
    collecting.cardNumberIs(number("4242 4242 4242 4242"));
    expect(await collecting.sessionId()).toBeNull();
    expect(submitted).toEqual([]);
  });

  test("begins when the number is complete, once for its first six digits", async () => {
    const collecting = deviceData();
    collecting.cardNumberIs(number("4242 42", "Ready"));
    expect(await collecting.sessionId()).toBeNull();
    expect(initiations).toBe(0);
    collecting.cardNumberIs(number("4242 4242 4242 4242"));
    collecting.cardNumberIs(number("4242 4242 4242 4242"));
    await posted();
    expect(initiations).toBe(1);
  });

  test("whose script stalls gives none after its time", async () => {
    vi.doMock("./device-data-collection.ts", () => new Promise(() => {}));
    vi.resetModules();
    const { createDeviceData } = await import("./device-data.ts");
    const collecting = createDeviceData(TIMEOUT_MS, () => Promise.resolve(CALLER));
    collecting.cardNumberIs(number("4242 4242 4242 4242"));
    const session = collecting.sessionId();
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    expect(await session).toBeNull();
    vi.doUnmock("./device-data-collection.ts");
  });

  test("does not happen where the experiment is off", async () => {
    const collecting = deviceData(null);
    collecting.cardNumberIs(number("4242 4242 4242 4242"));
    collecting.collectNow(number("4242 4242 4242 4242"));
    expect(await collecting.sessionId()).toBeNull();
    expect(initiations).toBe(0);
  });
});
