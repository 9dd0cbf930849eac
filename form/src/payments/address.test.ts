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

test("the client secret leaves the address and stays with the history entry", () => {
  const { window, entry } = at("https://pay.example/th-TH?payload=p#client_secret=a.b-_.c");
  expect(takeSecret(window)).toBe("a.b-_.c");
  expect(entry).toEqual({ state: { clientSecret: "a.b-_.c" }, address: "/th-TH?payload=p" });
  // The page is loaded again, or come back to.
  expect(takeSecret(at(`https://pay.example${entry.address}`, entry.state).window)).toBe("a.b-_.c");
});

test("the rest of the fragment stays there", () => {
  const { window, entry } = at("https://pay.example/?payload=p#a=b&client_secret=s");
  expect(takeSecret(window)).toBe("s");
  expect(entry.address).toBe("/?payload=p#a=b");
});

test("a new link's client secret replaces the kept one", () => {
  expect(takeSecret(at("https://pay.example/#client_secret=new", { clientSecret: "old" }).window)).toBe(
    "new",
  );
});

test.each([null, {}, "text", { clientSecret: 7 }])("without one there is none: %o", (state) => {
  const { window, entry } = at("https://pay.example/?payload=p", state);
  expect(takeSecret(window)).toBeNull();
  expect(entry.address).toBe("https://pay.example/?payload=p");
});
