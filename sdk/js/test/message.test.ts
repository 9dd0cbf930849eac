// Which messages count, and what they say: everything else is ignored and nothing throws
// (docs/messages.md).

import { describe, expect, it } from "vitest";
import { envelope, type IncomingMessage, readMessage, readResult } from "../src/message.ts";

const formWindow = {} as Window;

function message(body: object, event: Partial<IncomingMessage> = {}): IncomingMessage {
  const data = { source: "cardform", version: 1, frame: "cardform-1", ...body };
  return { source: formWindow, origin: "https://pay.example", data, ...event };
}

const read = (body: object, event: Partial<IncomingMessage> = {}, window: unknown = formWindow) =>
  readMessage(message(body, event), window, "https://pay.example", "cardform-1");

describe("which messages count", () => {
  it("takes the form's", () => {
    expect(read({ type: "user-loaded" })).toEqual({ type: "user-loaded" });
  });

  it("takes one without a frame id", () => {
    expect(read({ type: "user-loaded", frame: undefined })).toEqual({ type: "user-loaded" });
  });

  it.each([
    ["another window's", {}, { source: {} as Window }],
    ["one without a window", {}, { source: null }],
    ["another origin's", {}, { origin: "https://evil.example" }],
    ["one of an origin that only begins like the form's", {}, { origin: "https://pay.example.evil.example" }],
    ["one over another scheme", {}, { origin: "http://pay.example" }],
    ["another frame's", { frame: "cardform-2" }, {}],
    ["one with a frame id that is no text", { frame: null }, {}],
    ["another product's", { source: "checkout" }, {}],
    ["another version's", { version: 2 }, {}],
    ["one with the version as text", { version: "1" }, {}],
  ])("ignores %s", (_, body, event) => {
    expect(read({ type: "user-loaded", ...body }, event)).toBeNull();
  });

  it("ignores everything once the frame has left the page", () => {
    expect(read({ type: "user-loaded" }, { source: null }, null)).toBeNull();
  });

  it.each([
    [undefined],
    [null],
    [0],
    ["user-loaded"],
    [[]],
    [new Map()],
    [Object.create(null)],
    [Symbol.iterator],
    [() => "user-loaded"],
  ])("ignores %s as data", (data) => {
    expect(read({}, { data })).toBeNull();
  });
});

describe("the content of a message", () => {
  it.each([
    [{ type: "form-ready-state", ready: true }],
    [{ type: "request-client-secret" }],
    [{ type: "submit-requested" }],
    [{ type: "resize", height: 212.5 }],
    [{ type: "resize", height: 0 }],
    [{ type: "processing-result", success: true, message: "", not_ready: false }],
    [
      {
        type: "processing-result",
        success: false,
        message: "No.",
        decline_code: "insufficient_funds",
        not_ready: true,
      },
    ],
    [{ type: "charge-changed", status: "processing", shopper_action: null }],
    [
      {
        type: "charge-changed",
        status: "waiting_for_shopper_action",
        shopper_action: { type: "redirect", url: "https://bank.example/challenge" },
      },
    ],
    [{ type: "field-action", action: "cardFormInputFocused", field: "card-number" }],
    [
      {
        type: "processing-result",
        success: false,
        message: "No.",
        error_code: "offline",
        not_ready: false,
      },
    ],
    [{ type: "load-error", code: "payload-refused" }],
  ])("reads %j", (body) => {
    expect(read(body)).toEqual(body);
  });

  it.each([
    [{}],
    [{ type: "unknown" }],
    [{ type: "constructor" }],
    [{ type: ["user-loaded"] }],
    [{ type: "form-ready-state" }],
    [{ type: "form-ready-state", ready: 1 }],
    [{ type: "resize" }],
    [{ type: "resize", height: "200" }],
    [{ type: "resize", height: -1 }],
    [{ type: "resize", height: Number.NaN }],
    [{ type: "resize", height: Number.POSITIVE_INFINITY }],
    [{ type: "resize", height: 10_001 }],
    [{ type: "processing-result", message: "" }],
    [{ type: "processing-result", success: "true", message: "" }],
    [{ type: "charge-changed" }],
    [{ type: "charge-changed", status: 7, shopper_action: null }],
    [{ type: "charge-changed", status: null, shopper_action: null }],
    [{ type: "field-action", action: "cardFormInputFocused" }],
    [{ type: "field-action", action: 7, field: "card-number" }],
    [{ type: "field-action", action: {}, field: "card-number" }],
    [{ type: "load-error" }],
  ])("ignores %j", (body) => {
    expect(read(body)).toBeNull();
  });

  it("leaves out invalid values of a result", () => {
    const message = read({
      type: "processing-result",
      success: false,
      message: 7,
      decline_code: {},
      error_code: 7,
      extra: "x",
    });
    const result = readResult(message as Parameters<typeof readResult>[0]);
    expect(result).toEqual({ status: "failed", message: "" });
  });

  it.each([
    ["javascript:alert(1)"],
    ["data:text/html,x"],
    ["/relative"],
    [" https://bank.example"],
    [undefined],
  ])("never passes on %s as an address", (url) => {
    const status = "waiting_for_shopper_action";
    const body = { type: "charge-changed", status, shopper_action: { type: "redirect", url } };
    expect(read(body)).toEqual({ type: "charge-changed", status, shopper_action: null });
  });
});

it("wraps a message to the form", () => {
  expect(envelope({ type: "language-change", locale: "fr-FR" }, "cardform-1")).toEqual({
    source: "cardform",
    version: 1,
    frame: "cardform-1",
    type: "language-change",
    locale: "fr-FR",
  });
});
