import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { FormPage, FraudScript } from "../../generated/wire.ts";
import { FRAUD_TOKEN_TIMEOUT_MS, isToken, loadFraudScript } from "./fraud-token.ts";

const SCRIPT: FraudScript = {
  url: "https://fraud.example/site-1.js",
  cookie: "token",
  cookie_attributes: "Path=/; Max-Age=34560000; SameSite=Lax",
};

/** As much of a document as a script needs: events, cookies, and the scripts that were put into it. */
class FakeDocument extends EventTarget {
  cookie = "";
  readonly scripts: (EventTarget & { src?: unknown })[] = [];
  readonly createElement = () => new EventTarget();
  readonly head = { append: (script: EventTarget) => this.scripts.push(script) };

  tell(detail: unknown) {
    this.dispatchEvent(new CustomEvent("ftr:tokenReady", { detail }));
  }
}

describe("the fraud prevention's token", () => {
  let page: FakeDocument;

  beforeEach(() => {
    vi.useFakeTimers();
    page = new FakeDocument();
    vi.stubGlobal("document", page);
    vi.stubGlobal("window", {});
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("is the newest one of the script, and is kept in its cookie", async () => {
    const token = loadFraudScript(SCRIPT);
    expect(page.scripts.map(({ src }) => src)).toEqual([SCRIPT.url]);
    page.tell("token 1;=");
    expect(await token()).toBe("token 1;=");
    expect(page.cookie).toBe("token=token%201%3B%3D; Path=/; Max-Age=34560000; SameSite=Lax");
    page.tell("token-2");
    expect(await token()).toBe("token-2");
  });

  it("is the cookie's until the script gives another", async () => {
    page.cookie = "x=1; token=kept%201; y=2";
    const token = loadFraudScript(SCRIPT);
    expect(await token()).toBe("kept 1");
    page.tell("new");
    expect(await token()).toBe("new");
  });

  it("is empty after fifteen seconds without one", async () => {
    const answer = loadFraudScript(SCRIPT)();
    const answered = vi.fn();
    void answer.then(answered);
    await vi.advanceTimersByTimeAsync(FRAUD_TOKEN_TIMEOUT_MS - 1);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(answered).toHaveBeenCalledWith("");
    expect(FRAUD_TOKEN_TIMEOUT_MS).toBe(15_000);
  });

  it("is not awaited if the script cannot be loaded", async () => {
    const answer = loadFraudScript(SCRIPT)();
    page.scripts[0]?.dispatchEvent(new Event("error"));
    expect(await answer).toBe("");
  });

  it("is not awaited if the browser refuses the script", async () => {
    const trustedTypes = {
      createPolicy: () => {
        throw new TypeError("not allowed");
      },
    };
    vi.stubGlobal("window", { trustedTypes });
    expect(await loadFraudScript(SCRIPT)()).toBe("");
  });

  it("comes only from the configured script", () => {
    const rules: { createScriptURL?: (url: string) => string } = {};
    const trustedTypes = { createPolicy: (_: string, its: object) => Object.assign(rules, its) };
    vi.stubGlobal("window", { trustedTypes });
    loadFraudScript(SCRIPT);
    expect(page.scripts.map(({ src }) => src)).toEqual([SCRIPT.url]);
    expect(() => rules.createScriptURL?.("https://other.example/x.js")).toThrow(TypeError);
  });

  it("is also that of a second form, without cookies", async () => {
    Object.defineProperty(page, "cookie", { get: () => "", set: () => {} });
    const { learnFacts } = await import("./shopper-agent.ts");
    const learn = () => {
      const facts = { ipAddress: "", fraudToken: (): string | Promise<string> => "" };
      learnFacts({ fraud_script: SCRIPT, ip_lookup_url: null } as unknown as FormPage, facts);
      return facts;
    };
    const first = learn();
    page.tell("token-1");
    expect(await first.fraudToken()).toBe("token-1");
    expect(await learn().fraudToken()).toBe("token-1");
    expect(page.scripts).toHaveLength(1);
  });

  it("is never an invalid text, which is not kept either", async () => {
    const token = loadFraudScript(SCRIPT);
    for (const garbage of [
      undefined,
      null,
      7,
      {},
      "",
      "a\nb",
      "a\u0000",
      "\u009f",
      "\ud800",
      "x".repeat(3_501),
    ]) {
      expect(isToken(garbage)).toBe(false);
      page.tell(garbage);
    }
    expect(page.cookie).toBe("");
    page.tell("x".repeat(3_500));
    expect(await token()).toHaveLength(3_500);
  });

  it.each(["token=%", "token=", "token=a%0Ab", "tokens=a"])("is not in the cookie %j", async (cookie) => {
    page.cookie = cookie;
    const answer = loadFraudScript(SCRIPT)();
    page.scripts[0]?.dispatchEvent(new Event("error"));
    expect(await answer).toBe("");
  });

  it("works without cookies if they are denied", async () => {
    Object.defineProperty(page, "cookie", {
      get: () => {
        throw new DOMException("denied", "SecurityError");
      },
      set: () => {
        throw new DOMException("denied", "SecurityError");
      },
    });
    const token = loadFraudScript(SCRIPT);
    page.tell("token-1");
    expect(await token()).toBe("token-1");
  });
});
