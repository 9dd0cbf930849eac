// The page to which a challenge returns, as its opener hears it.

import { expect, it, vi } from "vitest";

import { CHALLENGE_SOURCE } from "../generated/challenge.ts";

it("posts the source that the form and the SDK listen for", async () => {
  const postMessage = vi.fn();
  vi.stubGlobal("window", { parent: { postMessage }, opener: null });
  await import("./challenge-return.ts");
  expect(postMessage).toHaveBeenCalledWith({ source: CHALLENGE_SOURCE, result: "completed" }, "*");
});
