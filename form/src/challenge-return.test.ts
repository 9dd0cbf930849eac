// The page to which a challenge returns, as its opener hears it, and as it is opened in another tab.

import { afterEach, expect, it, vi } from "vitest";

import { CHALLENGE_SOURCE } from "../generated/challenge.ts";
import { LOOK_KEY } from "./theme/kept-look.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it("posts the source that the form and the SDK listen for", async () => {
  const postMessage = vi.fn();
  vi.stubGlobal("window", { parent: { postMessage }, opener: null });
  await import("./challenge-return.ts");
  expect(postMessage).toHaveBeenCalledWith({ source: CHALLENGE_SOURCE, result: "completed" }, "*");
});

it.each([
  ["", "&customStyle=%7B%7D"],
  ["?locale=fr", "?locale=fr&customStyle=%7B%7D"],
  ["?locale=fr&customStyle=%7B%7D", "?locale=fr&customStyle=%7B%7D"],
])("asks for the kept theme once, at %s", async (search, asked) => {
  const location = { search };
  const window = { parent: {}, opener: null };
  window.parent = window;
  vi.stubGlobal("window", window);
  vi.stubGlobal("location", location);
  vi.stubGlobal("localStorage", { getItem: (key: string) => (key === LOOK_KEY ? "{}" : null) });
  await import("./challenge-return.ts");
  expect(location.search).toBe(asked);
});
