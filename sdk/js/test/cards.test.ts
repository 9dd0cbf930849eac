// The card page on a merchant's page: its frame, its events, and whose messages are read.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { type CardsEvents, type MountCardsOptions, mountCards } from "../src/cards.ts";
import { StandInPage } from "./stand-in-page.ts";

let page: StandInPage;
beforeEach(() => {
  vi.useFakeTimers();
  page = new StandInPage();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const EVENTS = ["load", "cards-changed", "session-expired", "resize", "error"] as const;

/** A mounted card page, and what it told. */
function show(options: Partial<MountCardsOptions> = {}) {
  const cards = mountCards("#card", {
    url: "https://pay.example",
    payload: "p",
    clientSecret: "a.b+c",
    ...options,
  });
  const told: [string, unknown][] = [];
  for (const name of EVENTS) {
    cards.on(name, (detail: CardsEvents[typeof name]) => told.push([name, detail]));
  }
  return { cards, told };
}

describe("the frame", () => {
  it("has the session in its address, the secret in the fragment alone", () => {
    show({ locale: "fr-FR", customStyle: { backgroundColor: "#ffffff" } });
    const { search, hash, origin } = new URL(page.frame.src);
    expect(origin).toBe("https://pay.example");
    expect(search).toMatch(/^\?payload=p&/);
    expect(search).not.toContain("a.b");
    expect(new URLSearchParams(hash.slice(1)).get("client_secret")).toBe("a.b+c");
    const query = new URLSearchParams(search);
    expect(JSON.parse(query.get("options") ?? "")).toMatchObject({ locale: "fr-FR" });
    expect(query.get("customStyle")).toBe('{"backgroundColor":"#ffffff"}');
    expect(page.frame.referrerPolicy).toBe("origin");
  });

  it("follows the page's height, and no absurd one", () => {
    const { told } = show();
    page.say({ type: "resize", height: 480.4 });
    expect(page.frame.style.height).toBe("481px");
    for (const height of [-1, 1e9, Number.NaN, "7" as unknown as number]) {
      page.say({ type: "resize", height });
    }
    expect(page.frame.style.height).toBe("481px");
    expect(told).toEqual([["resize", { height: 480.4 }]]);
  });

  it("takes the page's title, unless the merchant gives one", () => {
    show();
    expect(page.frame.title).toBe("Saved cards");
    page.say({ type: "user-loaded", title: "Ihre Karten" });
    expect(page.frame.title).toBe("Ihre Karten");
    mountCards(page.another(), {
      url: "https://pay.example",
      payload: "p",
      clientSecret: "s",
      title: "Mine",
    });
    page.say({ type: "user-loaded", title: "Ihre Karten" });
    expect(page.frame.title).toBe("Mine");
  });

  it("needs a place without a frame, and a web address", () => {
    expect(() => mountCards("#elsewhere", { url: "/", payload: "p", clientSecret: "s" })).toThrow(
      "#elsewhere",
    );
    expect(() => show({ url: "pay.example" })).toThrow(TypeError);
    show();
    expect(() => show()).toThrow("unmount() first");
  });
});

describe("the events", () => {
  it("tell what happened, and the load once", () => {
    const { told } = show();
    page.say({ type: "user-loaded" });
    page.say({ type: "user-loaded" });
    page.say({ type: "cards-changed" });
    page.say({ type: "card-session-expired" });
    // A form's messages mean nothing here.
    page.say({ type: "form-ready-state", ready: true });
    expect(told.map(([name]) => name)).toEqual(["load", "cards-changed", "session-expired"]);
    vi.runAllTimers();
    expect(told).toHaveLength(3);
  });

  it("tell why the page does not appear", () => {
    const refused = show();
    page.say({ type: "load-error", code: "payload-refused" });
    vi.runAllTimers();
    expect(refused.told).toEqual([["error", { code: "payload-refused" }]]);
    refused.cards.unmount();
    const late = show();
    vi.runAllTimers();
    expect(late.told).toEqual([["error", { code: "load-timeout" }]]);
  });

  it("come only from the frame's own window and origin, and in our envelope", () => {
    const { told } = show();
    const { contentWindow, name } = page.frame;
    const good = {
      source: contentWindow,
      origin: "https://pay.example",
      data: { source: "cardform", version: 1, frame: name, type: "cards-changed" },
    };
    for (const bad of [
      { ...good, source: null },
      { ...good, source: {} },
      { ...good, origin: "https://evil.example" },
      { ...good, data: { ...good.data, source: "other" } },
      { ...good, data: { ...good.data, version: 2 } },
      { ...good, data: { ...good.data, frame: "another" } },
      { ...good, data: null },
      { ...good, data: "cards-changed" },
    ]) {
      page.deliver(bad);
    }
    expect(told).toEqual([]);
    page.deliver(good);
    expect(told).toHaveLength(1);
  });

  it("end when the page is removed", () => {
    const { cards, told } = show();
    const { frame } = page;
    cards.unmount();
    expect([frame.contentWindow, page.listening]).toEqual([null, 0]);
    vi.runAllTimers();
    expect(told).toEqual([]);
    show();
  });
});
