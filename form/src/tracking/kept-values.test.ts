// What a browser keeps, and what of it when the browser refuses.

import { describe, expect, it } from "vitest";

import { inCookies, inLocalStorage, inMemory, type KeptValues } from "./kept-values.ts";

/** A document whose cookies can be looked at, set as a browser sets them: the last write, and all pairs. */
function cookieJar() {
  const pairs = new Map<string, string>();
  const written: string[] = [];
  return {
    written,
    get cookie() {
      return [...pairs].map(([name, value]) => `${name}=${value}`).join("; ");
    },
    set cookie(text: string) {
      written.push(text);
      const [pair = "", ...attributes] = text.split("; ");
      const [name = "", value = ""] = pair.split("=");
      if (attributes.includes("Max-Age=0")) {
        pairs.delete(name);
      } else {
        pairs.set(name, value);
      }
    },
  };
}

const PAGE = { secure: true, framed: false };

function storage(): Storage {
  const map = new Map<string, string>();
  return {
    getItem: (name) => map.get(name) ?? null,
    setItem: (name, value) => void map.set(name, value),
    removeItem: (name) => void map.delete(name),
    clear: () => map.clear(),
    key: () => null,
    length: 0,
  };
}

const denied = (): never => {
  throw new DOMException("denied", "SecurityError");
};
const deniedJar = {
  get cookie(): string {
    return denied();
  },
  set cookie(_: string) {
    denied();
  },
};
const deafJar = {
  get cookie() {
    return "";
  },
  set cookie(_: string) {},
};
const full = { ...storage(), setItem: denied };

describe("values", () => {
  const one = storage();
  it.each<[string, KeptValues]>([
    ["in cookies", inCookies(cookieJar(), PAGE)],
    ["in local storage", inLocalStorage(() => one)],
    ["in memory", inMemory()],
    ["in cookies that are denied", inCookies(deniedJar, PAGE)],
    ["in cookies that are dropped without a word", inCookies(deafJar, PAGE)],
    ["in storage that is denied", inLocalStorage(denied)],
    ["in storage that is full", inLocalStorage(() => full)],
  ])("%s are there until they are forgotten", (_, values) => {
    expect(values.get("one")).toBeNull();
    values.set("one", "a; b=ü%");
    values.set("two", "2");
    expect(values.get("one")).toBe("a; b=ü%");
    expect(values.get("two")).toBe("2");
    values.forget("one");
    expect(values.get("one")).toBeNull();
    expect(values.get("two")).toBe("2");
  });

  it("that another page has written since are read", () => {
    const jar = cookieJar();
    const values = inCookies(jar, PAGE);
    values.set("one", "1");
    inCookies(jar, PAGE).set("one", "2");
    expect(values.get("one")).toBe("2");
  });

  it("that cannot be decoded, or of another cookie, are not read", () => {
    expect(inCookies({ cookie: "one=%E0%A4; two=2" }, PAGE).get("one")).toBeNull();
    expect(inCookies({ cookie: "someone=1" }, PAGE).get("one")).toBeNull();
  });
});

describe("a cookie", () => {
  it.each([
    [{ secure: true, framed: true }, "Path=/; SameSite=None; Secure; Partitioned"],
    [{ secure: true, framed: false }, "Path=/; SameSite=Lax; Secure"],
    [{ secure: false, framed: true }, "Path=/; SameSite=Lax"],
    [{ secure: false, framed: false }, "Path=/; SameSite=Lax"],
  ])("of a page %j is kept for 400 days with %s", (place, attributes) => {
    const jar = cookieJar();
    inCookies(jar, place).set("one", "1");
    expect(jar.written).toEqual([`one=1; ${attributes}; Max-Age=34560000`]);
    inCookies(jar, place).forget("one");
    expect(jar.written.at(-1)).toBe(`one=; ${attributes}; Max-Age=0`);
    expect(jar.cookie).toBe("");
  });
});
