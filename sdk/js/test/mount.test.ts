// The frame on the page, its events, its locale, and leaving again.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Cardform, CardformEvents } from "../src/cardform.ts";
import { LOAD_MS_MAX, mount } from "../src/mount.ts";
import { type MountOptions, reservedHeight } from "../src/options.ts";
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

function show(options: Partial<MountOptions> = {}, target: Element | string = "#card"): Cardform {
  return mount(target, { url: "https://pay.example", payload: "p", clientSecret: "secret", ...options });
}

function heard<Name extends keyof CardformEvents>(form: Cardform, name: Name): CardformEvents[Name][] {
  const details: CardformEvents[Name][] = [];
  form.on(name, (detail) => details.push(detail));
  return details;
}

describe("the frame", () => {
  it("has reserved height and a title, and passes only the page's origin", () => {
    show({ options: { showCardholderName: true } });
    const { frame } = page;
    expect(frame.title).toBe("Card payment");
    expect(frame.referrerPolicy).toBe("origin");
    // A scheme that is not its document's would make its box opaque.
    expect(frame.style).toMatchObject({
      cssText: "display:block;width:100%;border:0;color-scheme:light",
      height: `${Math.ceil(reservedHeight({ showCardholderName: true }))}px`,
    });
    expect(frame.src).toMatch(/^https:\/\/pay\.example\/\?payload=p&/);
  });

  it("has the form's title if the merchant gives none", () => {
    show();
    page.say({ type: "user-loaded", title: "Mit Karte bezahlen" });
    expect(page.frame.title).toBe("Mit Karte bezahlen");
    page.say({ type: "user-loaded" });
    expect(page.frame.title).toBe("Mit Karte bezahlen");
  });

  it("tells the form the page's background, and the merchant's color mode", () => {
    page.background = "rgb(24, 26, 32)";
    const options = () => JSON.parse(new URL(page.frame.src).searchParams.get("options") ?? "");
    show();
    expect(options()).toMatchObject({ host_background: "rgb(24, 26, 32)" });
    expect(options().colorMode).toBeUndefined();
    show({ options: { colorMode: "system" } }, page.another());
    expect(options()).toMatchObject({ colorMode: "system" });
  });

  it("tells the color of the text on a background without one color", () => {
    const host = () => {
      show({}, page.another());
      return JSON.parse(new URL(page.frame.src).searchParams.get("options") ?? "").host_background;
    };
    for (const background of ["rgba(0, 0, 0, 0)", "rgba(0, 0, 0, 0.5)", "oklch(0.2 0.1 20 / 0.5)"]) {
      page.background = background;
      expect(host(), background).toBe("text rgb(250, 250, 250)");
    }
    for (const background of ["rgb(0, 0, 0)", "oklab(0.2 0.1 0)", "color(display-p3 0 0 0)"]) {
      page.background = background;
      expect(host(), background).toBe(background);
    }
    page.picture = "linear-gradient(rgb(0, 0, 0), rgb(20, 20, 20))";
    expect(host()).toBe("text rgb(250, 250, 250)");
  });

  it("is reserved the height that the form has under a finger", () => {
    page = new StandInPage(true);
    show();
    expect(page.frame.style.height).toBe(`${reservedHeight({}, true)}px`);
  });

  it("follows the form's height at once, rounded up to whole pixels", () => {
    const form = show();
    const heights = heard(form, "resize");
    page.say({ type: "resize", height: 212.2 });
    expect(page.frame.style.height).toBe("213px");
    expect(heights).toEqual([{ height: 212.2 }]);
  });

  it("goes into an element as well as into what a selector finds", () => {
    mount(page.container, { url: "https://pay.example", payload: "p", clientSecret: "secret" });
    expect(page.frames).toHaveLength(1);
  });

  it("is refused without a container or web address, and leaves nothing", () => {
    expect(() => show({}, "#elsewhere")).toThrow("#elsewhere");
    expect(() => show({ url: "javascript:alert(1)" })).toThrow(TypeError);
    expect(() => show({ url: "pay.example" })).toThrow('url "pay.example" is no web address');
    expect([page.frames.length, page.listening, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it("is refused on a server in one line", () => {
    vi.stubGlobal("document", undefined);
    expect(() => show()).toThrow("Cardform: no #card here");
  });

  it("is refused in an element that has one, until that one is gone", () => {
    const form = show();
    expect(() => show()).toThrow("unmount() first");
    form.unmount();
    show();
    expect(page.frames).toHaveLength(2);
  });

  it("has no credentials on a page that is cross-origin isolated", () => {
    show();
    expect(page.frame).toMatchObject({ credentialless: false });
    vi.stubGlobal("crossOriginIsolated", true);
    show({}, page.another());
    expect(page.frame).toMatchObject({ credentialless: true });
  });

  it("follows a page that becomes dark, also before it has loaded", async () => {
    show({ options: { hideTitle: true } });
    const backgrounds = () =>
      page.frame.posted.flatMap(({ message }) =>
        message.type === "page-change" ? [JSON.parse(message.options ?? "").host_background] : [],
      );
    page.background = "rgb(0, 0, 0)";
    await vi.advanceTimersByTimeAsync(1_000);
    expect(backgrounds()).toEqual([]);
    page.load(false);
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.waitFor(() => expect(backgrounds()).toEqual(["rgb(0, 0, 0)"]));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(backgrounds()).toHaveLength(1);
  });
});

describe("events", () => {
  it("tell that the form has loaded, and each change of its readiness", () => {
    const form = show();
    const loads = heard(form, "load");
    const changes = heard(form, "ready-change");
    page.load(false);
    expect(form.ready).toBe(false);
    page.say({ type: "form-ready-state", ready: true });
    expect(form.ready).toBe(true);
    page.say({ type: "form-ready-state", ready: true });
    page.say({ type: "form-ready-state", ready: false });
    expect(form.ready).toBe(false);
    expect(loads).toHaveLength(1);
    expect(changes).toEqual([{ ready: true }, { ready: false }]);
  });

  it("tell how the charge changes and what happens at fields", () => {
    const form = show();
    const charges = heard(form, "charge-change");
    const fields = heard(form, "field-action");
    page.say({ type: "charge-changed", status: "processing", shopper_action: null });
    page.say({ type: "field-action", action: "cardFormInputFocused", field: "card-number" });
    expect(charges).toEqual([{ status: "processing", shopperAction: null }]);
    expect(fields).toEqual([{ action: "cardFormInputFocused", field: "card-number" }]);
  });

  it("report that the shopper pressed Enter; the merchant submits", () => {
    const form = show();
    const requests = heard(form, "submit-request");
    page.load(true);
    page.say({ type: "submit-requested" });
    expect(requests).toHaveLength(1);
    expect(page.frame.heard).toEqual([]);
  });

  it("of one form do not reach another on the same page", () => {
    const [first, second] = [show(), show({}, page.another())];
    const [one, two] = page.frames;
    expect(one?.name).not.toBe(two?.name);
    page.load(true, one);
    expect([first.ready, second.ready]).toEqual([true, false]);
  });

  it("come only from the frame, and only from its origin", () => {
    const form = show();
    const { contentWindow, name } = page.frame;
    const data = { source: "cardform", version: 1, frame: name, type: "form-ready-state", ready: true };
    page.deliver({ source: {}, origin: "https://pay.example", data });
    page.deliver({ source: contentWindow, origin: "https://evil.example", data });
    expect(form.ready).toBe(false);
    page.deliver({ source: contentWindow, origin: "https://pay.example", data });
    expect(form.ready).toBe(true);
  });
});

describe("the locale", () => {
  const locales = () =>
    page.frame.posted.map(({ message }) =>
      message.type === "language-change" ? message.locale : message.type,
    );

  it("changes by message, and only when it is another one", async () => {
    const form = show({ locale: "en-US" });
    page.load(false);
    await form.setLocale("en-US");
    await form.setLocale("fr-FR");
    await form.setLocale("fr-FR");
    expect(locales()).toEqual(["fr-FR"]);
  });

  it("set before the form has loaded is told once it has", async () => {
    const form = show({ locale: "en-US" });
    await form.setLocale("fr-FR");
    await form.setLocale("ar-SA");
    expect(locales()).toEqual([]);
    page.load(false);
    expect(locales()).toEqual(["ar-SA"]);
  });
});

it("unmount takes everything away: frame, listener, timers and events", async () => {
  const form = show();
  const loads = heard(form, "load");
  const { frame } = page;
  const window = frame.contentWindow;
  form.unmount();
  const data = { source: "cardform", version: 1, type: "user-loaded" };
  page.deliver({ source: window, origin: "https://pay.example", data });
  page.deliver({ source: null, origin: "https://pay.example", data });
  expect(loads).toEqual([]);
  expect([frame.contentWindow, page.listening, vi.getTimerCount()]).toEqual([null, 0, 0]);
  form.unmount();
  const changes = [form.update({ disabled: true }), form.update({ options: {} }), form.setLocale("de")];
  expect(await Promise.all([...changes, form.refresh()])).toEqual([false, false, false, false]);
});

describe("a change that the form cannot answer", () => {
  const settledTo = async (changes: Promise<boolean>[]) => {
    const results: boolean[] = [];
    for (const change of changes) void change.then((result) => results.push(result));
    await vi.advanceTimersByTimeAsync(1_000);
    return results;
  };

  it("resolves to false when the form has not loaded and is removed", async () => {
    await import("../src/controls.ts");
    const form = show();
    const changes = [form.focus(), form.clear()];
    expect(await settledTo(changes)).toEqual([]);
    form.unmount();
    expect(await settledTo(changes)).toEqual([false, false]);
    expect(await settledTo([form.focus(), form.clear()])).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(LOAD_MS_MAX);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("resolves to false when the form could not be loaded", async () => {
    const form = show();
    const errors = heard(form, "error");
    const changes = [form.focus(), form.clear()];
    page.say({ type: "load-error", code: "payload-refused" });
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    expect(await settledTo(changes)).toEqual([false, false]);
  });

  it("resolves to false when the form is removed before it has answered", async () => {
    const form = show();
    page.load(true);
    const changes = [form.update({ options: { showCardholderName: true } }), form.refresh()];
    expect(await settledTo(changes)).toEqual([]);
    form.unmount();
    expect(await settledTo(changes)).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(LOAD_MS_MAX);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("an unknown part of a change is named on the console", async () => {
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  await import("../src/controls.ts");
  const form = show();
  // A JavaScript developer may write an option beside `options`.
  void form.update({ show_holder_name: true, locale: "de" } as object);
  await vi.waitFor(() => expect(warned).toHaveBeenCalledOnce());
  expect(warned.mock.calls[0]?.[0]).toContain('update() does not know "show_holder_name"');
});

it("a frame that fails is loaded once more, and no third time", async () => {
  await import("../src/failure.ts");
  const form = show();
  const errors = heard(form, "error");
  const loads = vi.fn();
  Object.defineProperty(page.frame, "src", { set: loads });
  const fail = async () => {
    page.say({ type: "load-error", code: "script-failed" });
    await vi.advanceTimersByTimeAsync(1_000);
  };
  await fail();
  expect(loads).toHaveBeenCalledOnce();
  expect(errors).toEqual([]);
  await fail();
  await vi.waitFor(() => expect(errors).toMatchObject([{ code: "script-failed" }]));
  expect(loads).toHaveBeenCalledOnce();
});
