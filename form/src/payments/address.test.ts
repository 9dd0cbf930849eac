import { expect, test } from "vitest";

import { takeSecret } from "./address.ts";

/** A window at `address`, whose history entry keeps `state`. */
function at(address: string, state: unknown = null) {
  const url = new URL(address);
  const entry = { state, address };
  return {
    entry,
    window: {
      location: { hash: url.hash, pathname: url.pathname, search: url.search },
      history: {
        get state() {
          return entry.state;
        },
        replaceState: (state: unknown, _: string, address: string) =>
          Object.assign(entry, { state, address }),
      },
    } as unknown as Window,
  };
}

test.each(["client_secret", "link"])("the %s leaves the address and stays with the history entry", (name) => {
  const { window, entry } = at(`https://pay.example/th-TH?payload=p#${name}=a.b-_.c`);
  const opened = { clientSecret: null, link: null, [name === "link" ? "link" : "clientSecret"]: "a.b-_.c" };
  expect(takeSecret(window)).toEqual(opened);
  expect(entry).toEqual({ state: opened, address: "/th-TH?payload=p" });
  // The page is loaded again, or come back to.
  expect(takeSecret(at(`https://pay.example${entry.address}`, entry.state).window)).toEqual(opened);
});

test("the rest of the fragment stays there", () => {
  const { window, entry } = at("https://pay.example/?payload=p#a=b&client_secret=s");
  expect(takeSecret(window).clientSecret).toBe("s");
  expect(entry.address).toBe("/?payload=p#a=b");
});

test("a new link's client secret replaces the kept one", () => {
  const { window } = at("https://pay.example/#client_secret=new", { clientSecret: "old", link: "old" });
  expect(takeSecret(window)).toEqual({ clientSecret: "new", link: null });
});

test.each([null, {}, "text", { clientSecret: 7 }])("without one there is none: %o", (state) => {
  const { window, entry } = at("https://pay.example/?payload=p", state);
  expect(takeSecret(window)).toEqual({ clientSecret: null, link: null });
  expect(entry.address).toBe("https://pay.example/?payload=p");
});
