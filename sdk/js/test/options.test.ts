// The address that the form's page is opened with (docs/form.md#query).

import { describe, expect, it } from "vitest";
import { frameUrl, type MountOptions, reservedHeight } from "../src/options.ts";

const NOW = 1_767_225_600_000;
const PAGE = "https://shop.example/cart?id=7";
const minimal: MountOptions = { url: "https://pay.example", payload: "CgR+/w==", clientSecret: "secret" };

const HOST = "rgb(24, 26, 32)";
const open = (options: Partial<MountOptions> = {}) => frameUrl({ ...minimal, ...options }, PAGE, NOW, HOST);

describe("the address of the form", () => {
  it("has the unchanged payload, and the time", () => {
    const url = open();
    expect(url.origin + url.pathname).toBe("https://pay.example/");
    expect(url.searchParams.get("payload")).toBe("CgR+/w==");
    expect(url.searchParams.get("init_time")).toBe("1767225600000");
    expect(url.searchParams.has("customStyle")).toBe(false);
  });

  it("never has the client secret", () => {
    expect(open().href).not.toContain("secret");
  });

  it("has the options, the language, and the names of what mount was given", () => {
    const options = { showCardholderName: true, eventAttributes: { plan: "gold", seats: 3, trial: true } };
    const url = open({ locale: "fr-FR", options });
    expect(JSON.parse(url.searchParams.get("options") ?? "")).toEqual({
      ...options,
      host_background: HOST,
      locale: "fr-FR",
      given: ["url", "payload", "clientSecret", "locale", "options"],
    });
  });

  it("has the campaign of the merchant's page, and no more of its address", () => {
    const page =
      "https://shop.example/cart?id=7&utm_source=mail&utm_medium=e%20mail&cid=c1&campaign_id=9&payload=x#utm_term=t";
    const told = frameUrl(minimal, page, NOW, HOST).searchParams;
    expect(told.get("utm_source")).toBe("mail");
    expect(told.get("utm_medium")).toBe("e mail");
    expect(told.get("cid")).toBe("c1");
    expect(told.get("campaign_id")).toBe("9");
    expect(told.getAll("payload")).toEqual(["CgR+/w=="]);
    expect(told.has("id") || told.has("utm_term")).toBe(false);
  });

  it("reads the same to a decoder of URLs and to one of forms", () => {
    const customStyle = { children: { cardForm: { fontFamily: "Open Sans, serif" } } };
    const { searchParams, search } = open({ customStyle });
    const asUrl = /customStyle=([^&]*)/.exec(search)?.[1] ?? "";
    expect(JSON.parse(decodeURIComponent(asUrl))).toEqual(customStyle);
    expect(JSON.parse(searchParams.get("customStyle") ?? "")).toEqual(customStyle);
  });

  it("keeps a path, drops a query, and accepts a relative address", () => {
    expect(open({ url: "https://pay.example/fr-FR?payload=other" }).searchParams.getAll("payload")).toEqual([
      "CgR+/w==",
    ]);
    expect(open({ url: "https://pay.example/fr-FR" }).pathname).toBe("/fr-FR");
    expect(open({ url: "/" }).origin).toBe("https://shop.example");
  });

  it.each([
    ["javascript:alert(1)"],
    ["data:text/html,x"],
    ["https://"],
    ["https://pay example"],
    ["file:///etc"],
    ["pay.example"],
  ])("refuses %s, and names it", (url) => {
    expect(() => open({ url })).toThrow(new TypeError(`Cardform: url "${url}" is no web address`));
  });
});

it("reserves space for each field that is shown, more on touch screens", () => {
  const plain = reservedHeight();
  const name = reservedHeight({ showCardholderName: true });
  const both = reservedHeight({ showCardholderName: true, showPostalCode: "auto", cardholderName: "Ana" });
  expect(name).toBeGreaterThan(plain);
  expect(both - name).toBe(name - plain);
  expect(reservedHeight({ showCardholderName: true }, true)).toBeGreaterThan(name);
});
