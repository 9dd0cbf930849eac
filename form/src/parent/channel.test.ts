import { expect, test } from "vitest";

import type { FromParent } from "../../generated/wire.ts";
import { openChannel, targetOrigins } from "./channel.ts";

interface SentMessage {
  readonly type: string;
  readonly target: string;
}

/** A page in a frame of a page of `ancestor`, with the channel that it opens. */
function framed(allowedOrigins: readonly string[], ancestor: string | null) {
  const posted: SentMessage[] = [];
  const heard: (readonly [FromParent, string])[] = [];
  const parent = {
    postMessage: ({ type }: { type: string }, target: string) => posted.push({ type, target }),
  };
  let listener: (event: unknown) => void = () => {};
  const page = {
    parent,
    name: "form-1",
    location: { ancestorOrigins: ancestor === null ? undefined : [ancestor] },
    document: { referrer: "" },
    addEventListener: (_: string, heard: (event: unknown) => void) => {
      listener = heard;
    },
  };
  const post = openChannel(page as unknown as Window, {
    allowedOrigins,
    variant: null,
    onMessage: (message, origin) => heard.push([message, origin]),
  });
  const say = (origin: string, source: unknown = parent) =>
    listener({ source, origin, data: { source: "cardform", version: 1, type: "submit-not-ready" } });
  return { post, posted, heard, say };
}

const SHOP = "https://shop.example";
const SUBMIT: FromParent = { type: "submit-not-ready" };

test("a message from an origin that is not allowed is ignored", () => {
  const { heard, say } = framed([SHOP], SHOP);
  say("https://evil.example");
  say(SHOP, {});
  expect(heard).toEqual([]);
  say(SHOP);
  expect(heard).toEqual([[SUBMIT, SHOP]]);
});

test("without allowed origins messages from any parent are read", () => {
  const { heard, say } = framed([], null);
  say("https://anyone.example");
  expect(heard).toEqual([[SUBMIT, "https://anyone.example"]]);
});

test("messages go only to a parent below the allowed domain", () => {
  const { post, posted } = framed(["https://*.shop.example", SHOP], "https://a.shop.example");
  post({ type: "user-loaded" });
  expect(posted).toEqual([{ type: "user-loaded", target: "https://a.shop.example" }]);
});

test("the parent's first message tells its origin if the browser does not", () => {
  const { post, posted, say } = framed(["https://*.shop.example"], null);
  post({ type: "user-loaded" });
  expect(posted).toEqual([]);
  say("https://a.shop.example");
  post({ type: "request-client-secret" });
  expect(posted).toEqual([{ type: "request-client-secret", target: "https://a.shop.example" }]);
});

test("messages are sent to the allowed parent, never to another", () => {
  expect(targetOrigins([], "https://anyone.example")).toEqual(["*"]);
  const two = ["https://a.example", "https://b.example"];
  expect(targetOrigins(two, "https://b.example")).toEqual(["https://b.example"]);
  expect(targetOrigins(two, "https://evil.example")).toEqual(two);
  expect(targetOrigins(two, null)).toEqual(two);
  expect(targetOrigins(["https://*.shop.example"], null)).toEqual([]);
});
