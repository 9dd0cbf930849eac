import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forAll } from "../../test/for-all.ts";

import { envelope, parseFromParent } from "./messages.ts";

const ENVELOPE = { source: "cardform", version: 1, frame: "form-1" };
const parse = (data: unknown) => parseFromParent(data, "form-1", null);

describe("a message from the parent", () => {
  test.each([
    [
      { type: "submit-ready", client_secret: "s" },
      { type: "submit-ready", client_secret: "s" },
    ],
    [{ type: "submit-ready" }, { type: "submit-ready", client_secret: null }],
    [
      { type: "submit-ready", client_secret: null },
      { type: "submit-ready", client_secret: null },
    ],
    [{ type: "submit-not-ready" }, { type: "submit-not-ready" }],
    [
      { type: "language-change", locale: "fr-FR" },
      { type: "language-change", locale: "fr-FR" },
    ],
    [
      { type: "page-change", payload: "p", options: "{}", custom_style: null },
      { type: "page-change", payload: "p", options: "{}" },
    ],
    [{ type: "page-change" }, { type: "page-change" }],
    [
      { type: "field-focus", field: "card-number" },
      { type: "field-focus", field: "card-number" },
    ],
    [{ type: "fields-clear" }, { type: "fields-clear" }],
    [
      { type: "form-disable", disabled: true },
      { type: "form-disable", disabled: true },
    ],
    [
      { type: "device-data-initiate", client_secret: "s" },
      { type: "device-data-initiate", client_secret: "s" },
    ],
    [
      { type: "client-secret-response", client_secret: "s" },
      { type: "client-secret-response", client_secret: "s" },
    ],
  ])("%o is read", (message, read) => {
    expect(parse({ ...ENVELOPE, ...message })).toEqual(read);
    const { frame: _, ...withoutFrame } = ENVELOPE;
    expect(parse({ ...withoutFrame, ...message })).toEqual(read);
  });

  test.each([
    [{ ...ENVELOPE, source: "another", type: "submit-not-ready" }],
    [{ ...ENVELOPE, version: "1", type: "submit-not-ready" }],
    [{ ...ENVELOPE, frame: "form-2", type: "submit-not-ready" }],
    [{ ...ENVELOPE, frame: null, type: "submit-not-ready" }],
    [{ ...ENVELOPE, type: "submit-ready", client_secret: 7 }],
    [{ ...ENVELOPE, type: "client-secret-response" }],
    [{ ...ENVELOPE, type: "client-secret-response", client_secret: "x".repeat(8193) }],
    [{ ...ENVELOPE, type: "language-change", locale: "" }],
    [{ ...ENVELOPE, type: "card-form:submit-form-ready", client_secret: "s" }],
    [{ ...ENVELOPE, type: "page-change", options: {} }],
    [{ ...ENVELOPE, type: "page-change", payload: "x".repeat(65_537) }],
    [{ ...ENVELOPE, type: "field-focus", field: 1 }],
    [{ ...ENVELOPE, type: "form-disable", disabled: "yes" }],
    [{ ...ENVELOPE, type: "toString" }],
  ])("%o is not", (message) => {
    expect(parse(message)).toBeNull();
  });

  test("whatever it is, reading it never throws", () => {
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("caught");
        },
      },
    );
    expect(parse(hostile)).toBeNull();
    forAll(fc.property(fc.anything(), (data) => parse(data) === null));
  });
});

describe("the hosted variant", () => {
  test.each([
    ["submit-form-ready", "submit-ready"],
    ["submit-form-not-ready", "submit-not-ready"],
    ["language-change", "language-change"],
    ["device-data-initiate", "device-data-initiate"],
    ["shopper-action-returned", "shopper-action-returned"],
    ["shopper-action-closed", "shopper-action-closed"],
    ["client-secret-response", "client-secret-response"],
  ])("card-form:%s is read as %s", (hosted, type) => {
    const message = { ...ENVELOPE, type: `card-form:${hosted}`, client_secret: "s", locale: "fr-FR" };
    expect(parseFromParent(message, "form-1", "hosted")?.type).toBe(type);
    expect(parseFromParent({ ...message, type }, "form-1", "hosted")).toBeNull();
  });

  test.each([
    [{ type: "form-ready-state", ready: true }, "card-form:ready"],
    [{ type: "processing-result", success: false, message: "no" }, "card-form:processing-error"],
    [{ type: "processing-result", success: true, message: "" }, "card-form:processing-result"],
    [{ type: "user-loaded" }, "card-form:user-loaded"],
    [{ type: "request-client-secret" }, "card-form:request-client-secret"],
  ] as const)("%o is posted as %s", (message, type) => {
    expect(envelope(message, "form-1", "hosted").type).toBe(type);
  });
});

test("a message to the parent stands in its envelope", () => {
  expect(envelope({ type: "resize", height: 210 }, "form-1", null)).toEqual({
    ...ENVELOPE,
    type: "resize",
    height: 210,
  });
});
