// From `submit()` to its result, through the messages that really travel
// (docs/form.md#paying).

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FromForm } from "../../../form/generated/wire.ts";
import type { Cardform } from "../src/cardform.ts";
import type { openChallenge } from "../src/challenge.ts";
import { LOAD_MS_MAX, mount } from "../src/mount.ts";
import type { ClientSecret } from "../src/options.ts";
import { ANSWER_MS_MAX } from "../src/submission.ts";
import { StandInPage, settled } from "./stand-in-page.ts";

/** Stands in for the dialog. */
const dialog = vi.hoisted(() => ({ open: vi.fn<typeof openChallenge>() }));
vi.mock("../src/challenge.ts", () => ({
  openChallenge: (...given: Parameters<typeof openChallenge>) => dialog.open(...given),
}));

let page: StandInPage;
beforeEach(() => {
  vi.useFakeTimers();
  page = new StandInPage();
  dialog.open.mockReset();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** What the form says when it was not ready. */
const NOT_READY: FromForm = {
  type: "processing-result",
  success: false,
  message: "Card number is incomplete.",
  not_ready: true,
};

function show(clientSecret: ClientSecret = "secret"): Cardform {
  return mount("#card", { url: "https://pay.example", payload: "p", clientSecret });
}

async function sent(form: Cardform): Promise<{ result: ReturnType<Cardform["submit"]> }> {
  page.load(true);
  const result = form.submit();
  await settled();
  expect(page.frame.heard).toEqual(["submit-ready"]);
  return { result };
}

describe("a submission", () => {
  it("hands over the client secret and resolves when the card has paid", async () => {
    const { result } = await sent(show());
    expect(page.frame.posted[0]).toEqual({
      targetOrigin: "https://pay.example",
      message: {
        source: "cardform",
        version: 1,
        frame: page.frame.name,
        type: "submit-ready",
        client_secret: "secret",
      },
    });
    page.say({ type: "processing-result", success: true, message: "" });
    await expect(result).resolves.toEqual({ status: "succeeded" });
  });

  it("resolves with the text of a declined card, and can be called again", async () => {
    const form = show();
    const { result } = await sent(form);
    page.say({
      type: "processing-result",
      success: false,
      message: "Not enough funds.",
      decline_code: "insufficient_funds",
    });
    await expect(result).resolves.toEqual({
      status: "failed",
      message: "Not enough funds.",
      declineCode: "insufficient_funds",
    });
    const again = form.submit();
    expect(again).not.toBe(result);
    await settled();
    page.say({ type: "processing-result", success: true, message: "" });
    await expect(again).resolves.toEqual({ status: "succeeded" });
    expect(page.frame.heard).toEqual(["submit-ready", "submit-ready"]);
  });

  it("is not ready when the form finds so, whatever it had said before", async () => {
    const form = show();
    const results = vi.fn();
    form.on("result", results);
    const { result } = await sent(form);
    page.say({ type: "form-ready-state", ready: false });
    page.say(NOT_READY);
    await expect(result).resolves.toEqual({ status: "not-ready" });
    expect(results).toHaveBeenCalledExactlyOnceWith({ status: "not-ready" });
    // Only the timer that looks at the page's background.
    expect(vi.getTimerCount()).toBe(1);
  });

  it("is one, however often it is asked for", async () => {
    const form = show();
    page.load(true);
    const first = form.submit();
    expect(form.submit()).toBe(first);
    await settled();
    expect(form.submit()).toBe(first);
    expect(page.frame.heard).toEqual(["submit-ready"]);
  });

  it("has the form show what is missing when it is not ready", async () => {
    const clientSecret = vi.fn(() => "secret");
    const form = show(clientSecret);
    page.load(false);
    const result = form.submit();
    await settled();
    expect(page.frame.posted.map(({ message }) => message)).toEqual([
      { source: "cardform", version: 1, frame: page.frame.name, type: "submit-ready", client_secret: null },
    ]);
    page.say(NOT_READY);
    await expect(result).resolves.toEqual({ status: "not-ready" });
    expect(clientSecret).not.toHaveBeenCalled();
  });

  it("is sent when the form is ready, with the client secret it asks for", async () => {
    const form = show();
    page.load(false);
    const result = form.submit();
    await settled();
    page.say({ type: "form-ready-state", ready: true });
    page.say({ type: "request-client-secret" });
    await settled();
    expect(page.frame.heard).toEqual(["submit-ready", "client-secret-response"]);
    page.say({ type: "processing-result", success: true, message: "" });
    await expect(result).resolves.toEqual({ status: "succeeded" });
  });

  it("lets the form decide when the card changed before the secret came", async () => {
    let give: (secret: string) => void = () => {};
    const form = show(() => new Promise<string>((resolve) => (give = resolve)));
    page.load(true);
    const result = form.submit();
    page.say({ type: "form-ready-state", ready: false });
    give("secret");
    await settled();
    expect(page.frame.heard).toEqual(["submit-ready"]);
    page.say(NOT_READY);
    await expect(result).resolves.toEqual({ status: "not-ready" });
  });

  it.each(["processing", "outcome_unknown"] as const)(
    "resolves with %s, and the outcome follows",
    async (status) => {
      const form = show();
      const results = vi.fn();
      form.on("result", results);
      const { result } = await sent(form);
      page.say({ type: "charge-changed", status, shopper_action: null });
      await expect(result).resolves.toEqual({ status });
      expect(results).not.toHaveBeenCalled();
      page.say({ type: "processing-result", success: true, message: "" });
      expect(results).toHaveBeenCalledWith({ status: "succeeded" });
    },
  );

  it("resolves with what the shopper must do", async () => {
    const { result } = await sent(show());
    const action = { type: "redirect", url: "https://bank.example/" } as const;
    page.say({ type: "charge-changed", status: "waiting_for_shopper_action", shopper_action: action });
    await expect(result).resolves.toEqual({ status: "waiting_for_shopper_action", shopperAction: action });
  });

  it("is not ended by an answer that came before the card was sent", async () => {
    let give: (secret: string) => void = () => {};
    const form = show(() => new Promise<string>((resolve) => (give = resolve)));
    page.load(true);
    const result = form.submit();
    page.say({ type: "processing-result", success: true, message: "" });
    give("secret");
    await settled();
    expect(page.frame.heard).toEqual(["submit-ready"]);
    page.say({ type: "processing-result", success: false, message: "No." });
    await expect(result).resolves.toEqual({ status: "failed", message: "No." });
  });

  it("is an unknown outcome when the form never answers or reloads", async () => {
    const form = show();
    const errors = vi.fn();
    form.on("error", errors);
    const { result } = await sent(form);
    vi.advanceTimersByTime(ANSWER_MS_MAX);
    await expect(result).resolves.toEqual({ status: "outcome_unknown" });
    await vi.waitFor(() =>
      expect(errors).toHaveBeenCalledWith(expect.objectContaining({ code: "submit-timeout" })),
    );

    const again = form.submit();
    await settled();
    page.say({ type: "user-loaded" });
    await expect(again).resolves.toEqual({ status: "outcome_unknown" });
  });
});

describe("a submission before the form has loaded", () => {
  it("waits until the form has loaded and told whether it is ready", async () => {
    const result = show().submit();
    await settled();
    expect(page.frame.heard).toEqual([]);
    page.say({ type: "user-loaded" });
    await settled();
    expect(page.frame.heard).toEqual([]);
    page.say({ type: "form-ready-state", ready: true });
    await settled();
    expect(page.frame.heard).toEqual(["submit-ready"]);
    page.say({ type: "processing-result", success: true, message: "" });
    await expect(result).resolves.toEqual({ status: "succeeded" });
  });

  it("fails clearly when the form does not load in time", async () => {
    const form = show();
    const errors = vi.fn();
    form.on("error", errors);
    const result = form.submit();
    vi.advanceTimersByTime(LOAD_MS_MAX - 1);
    expect(errors).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await expect(result).resolves.toMatchObject({ status: "failed", errorCode: "load-timeout" });
    expect(errors).toHaveBeenCalledWith(expect.objectContaining({ code: "load-timeout" }));
    await expect(form.submit()).resolves.toMatchObject({ status: "failed", errorCode: "load-timeout" });
    expect(page.frame.heard).toEqual([]);
  });

  it("works when the form arrives late after all", async () => {
    const form = show();
    vi.advanceTimersByTime(LOAD_MS_MAX);
    await sent(form);
  });
});

describe("the client secret", () => {
  const given = (value: unknown) => (() => value) as () => string;
  it.each<[string, ClientSecret, string]>([
    ["throws", () => Promise.reject(new Error("down")), "threw or rejected: Error: down"],
    [
      "throws at once",
      () => {
        throw "down";
      },
      "threw or rejected: down",
    ],
    ["gives nothing", given(""), "gave an empty text"],
    ["gives no text", given(undefined), "gave Undefined"],
    ["gives null", given(null), "gave Null"],
    [
      "gives an object",
      given({ client_secret: "s" }),
      "gave Object with client_secret, and not the text of the client secret: give its `client_secret`.",
    ],
    ["is empty", "", "gave an empty text"],
  ])("that %s fails the submission before a card is sent, with the cause", async (_, clientSecret, cause) => {
    const form = show(clientSecret);
    const errors = vi.fn();
    form.on("error", errors);
    page.load(true);
    await expect(form.submit()).resolves.toMatchObject({
      status: "failed",
      errorCode: "client-secret-unavailable",
    });
    expect(errors).toHaveBeenCalledExactlyOnceWith({
      code: "client-secret-unavailable",
      message: expect.stringContaining(`\`clientSecret\` ${cause}`),
    });
    expect(page.frame.heard).toEqual([]);
  });

  it("is fetched anew for each submission and each time the form asks", async () => {
    let times = 0;
    const form = show(async () => `secret-${++times}`);
    page.load(true);
    page.say({ type: "request-client-secret" });
    await settled();
    void form.submit();
    await settled();
    expect(page.frame.posted.map(({ message }) => message)).toMatchObject([
      { type: "client-secret-response", client_secret: "secret-1" },
      { type: "submit-ready", client_secret: "secret-2" },
    ]);
  });
});

describe("unmount during a submission", () => {
  it("leaves the outcome unknown when the card was sent", async () => {
    const form = show();
    const { result } = await sent(form);
    form.unmount();
    await expect(result).resolves.toEqual({ status: "outcome_unknown" });
  });

  it("has sent nothing when the form had not loaded", async () => {
    const form = show();
    const result = form.submit();
    form.unmount();
    await expect(result).resolves.toEqual({ status: "not-ready" });
    await expect(form.submit()).resolves.toEqual({ status: "not-ready" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not send the card when the client secret arrives afterwards", async () => {
    let give: (secret: string) => void = () => {};
    const form = show(() => new Promise<string>((resolve) => (give = resolve)));
    page.load(true);
    const { frame } = page;
    const result = form.submit();
    form.unmount();
    give("secret");
    await expect(result).resolves.toEqual({ status: "not-ready" });
    expect(frame.heard).toEqual([]);
  });
});

it("a client secret that never comes ends the submission after 15 seconds", async () => {
  const form = show(() => new Promise<string>(() => {}));
  const errors = vi.fn();
  form.on("error", errors);
  page.load(true);
  const result = form.submit();
  await vi.advanceTimersByTimeAsync(LOAD_MS_MAX - 1);
  expect(errors).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await expect(result).resolves.toMatchObject({ status: "failed", errorCode: "client-secret-timeout" });
  expect(errors).toHaveBeenCalledTimes(1);
  expect(page.frame.heard).toEqual([]);
});

describe("a challenge of the bank", () => {
  const action = { type: "challenge", url: "https://bank.example/c", width: 390, height: 400 } as const;

  it("has no time limit of the SDK's own: the form tells how it ended", async () => {
    const form = show();
    const errors = vi.fn();
    form.on("error", errors);
    const { result } = await sent(form);
    page.say({ type: "charge-changed", status: "waiting_for_shopper_action", shopper_action: action });
    vi.advanceTimersByTime(10 * ANSWER_MS_MAX);
    expect(errors).not.toHaveBeenCalled();
    page.say({
      type: "processing-result",
      success: false,
      message: "You canceled.",
      decline_code: "authentication_canceled",
    });
    await expect(result).resolves.toEqual({
      status: "failed",
      message: "You canceled.",
      declineCode: "authentication_canceled",
    });
  });

  it("that is a redirect is the merchant's to follow", async () => {
    const { result } = await sent(show());
    const redirect = { type: "redirect", url: "https://bank.example/r" } as const;
    page.say({ type: "charge-changed", status: "waiting_for_shopper_action", shopper_action: redirect });
    await expect(result).resolves.toEqual({
      status: "waiting_for_shopper_action",
      shopperAction: redirect,
    });
  });

  const challenged = async (closed: () => void) => {
    dialog.open.mockReturnValue(closed);
    const form = show();
    const sending = await sent(form);
    page.say({ type: "charge-changed", status: "waiting_for_shopper_action", shopper_action: action });
    await vi.waitFor(() => expect(dialog.open).toHaveBeenCalledOnce());
    await settled();
    return { form, ...sending };
  };

  it("is removed when the form tells the result", async () => {
    const closed = vi.fn();
    const { result } = await challenged(closed);
    page.say({ type: "processing-result", success: true, message: "" });
    expect(closed).toHaveBeenCalledOnce();
    await expect(result).resolves.toEqual({ status: "succeeded" });
  });

  it("is an unknown outcome when it is over and the form says nothing", async () => {
    const { form, result } = await challenged(() => {});
    const errors = vi.fn();
    form.on("error", errors);
    const [, , post] = dialog.open.mock.calls[0] ?? [];
    post?.({ type: "shopper-action-returned" });
    await vi.advanceTimersByTimeAsync(ANSWER_MS_MAX);
    await expect(result).resolves.toEqual({ status: "outcome_unknown" });
    expect(errors).toHaveBeenCalledWith(expect.objectContaining({ code: "submit-timeout" }));
  });

  it("whose script stalls is the merchant's to show", async () => {
    vi.doMock("../src/challenge.ts", () => new Promise(() => {}));
    const { result } = await sent(show());
    page.say({ type: "charge-changed", status: "waiting_for_shopper_action", shopper_action: action });
    await vi.advanceTimersByTimeAsync(LOAD_MS_MAX);
    await expect(result).resolves.toEqual({ status: "waiting_for_shopper_action", shopperAction: action });
  });

  it("whose script stalls does not end a later submission", async () => {
    vi.doMock("../src/challenge.ts", () => new Promise(() => {}));
    const form = show();
    await sent(form);
    page.say({ type: "charge-changed", status: "waiting_for_shopper_action", shopper_action: action });
    page.say({ type: "processing-result", success: false, message: "You canceled." });
    const later = form.submit();
    await vi.advanceTimersByTimeAsync(LOAD_MS_MAX);
    page.say({ type: "processing-result", success: true, message: "" });
    await expect(later).resolves.toEqual({ status: "succeeded" });
  });

  it("whose outcome the form may no longer ask for ends with the reason", async () => {
    const form = show();
    const { result } = await sent(form);
    page.say({ type: "charge-changed", status: "waiting_for_shopper_action", shopper_action: action });
    page.say({
      type: "processing-result",
      success: false,
      message: "Please do not pay again.",
      status: "outcome_unknown",
      error_code: "client-secret-expired",
    });
    await expect(result).resolves.toEqual({
      status: "outcome_unknown",
      errorCode: "client-secret-expired",
    });
  });
});

it("a submission ends although the script with the messages stalls", async () => {
  vi.doMock("../src/failure.ts", () => new Promise(() => {}));
  const form = show(() => "");
  page.load(true);
  const result = form.submit();
  await vi.advanceTimersByTimeAsync(LOAD_MS_MAX);
  await expect(result).resolves.toMatchObject({
    status: "failed",
    errorCode: "client-secret-unavailable",
  });
});
