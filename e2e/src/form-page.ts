// The form page opened for a test: as a payment page of its own, or in the frame of a merchant's page.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContextOptions, FrameLocator, Page } from "playwright-core";

import type { CreateCharge, CreatedCharge } from "../../form/generated/wire.ts";
import { openPage, type WatchedPage } from "./browser.ts";
import type { Service } from "./service.ts";

/** The `options` of the page's query (docs/form.md#options). */
export type Options = Readonly<Record<string, unknown>>;

/** Cardholder name and email are shown, too. */
export const ALL_FIELDS: Options = { show_cardholder_name: true, show_cardholder_email: true };

/** The address of the payment page of a new charge. */
export async function paymentPage(
  service: Service,
  options: Options = {},
  charge: Partial<CreateCharge> = {},
): Promise<string> {
  const url = new URL((await service.merchant.createCharge(charge)).url);
  url.searchParams.set("options", JSON.stringify(options));
  return url.href;
}

/** Opens the payment page of a new charge and waits until its script has taken over. */
export async function openStandalone(
  service: Service,
  browser: Browser,
  options: Options = {},
  context: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const watched = await openPage(browser, context);
  await watched.page.goto(await paymentPage(service, options));
  await watched.page.waitForFunction(() => window.cardformVersion !== undefined);
  return watched;
}

/** The fields that every message of the protocol has (docs/messages.md#envelope). */
export const ENVELOPE = { source: "cardform", version: 1 };

/** A message as the parent receives it. */
export interface Message {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** What the SDK has reported to a merchant's page so far. */
export interface Heard {
  readonly results: { readonly status: string; readonly errorCode?: string; readonly message?: string }[];
  /** `ms` after the form was mounted. */
  readonly errors: { readonly code: string; readonly message: string; readonly ms: number }[];
  readonly loads: number;
}

/** A merchant's page that shows the form with the SDK. */
export interface WithSdk extends WatchedPage {
  readonly form: FrameLocator;
  readonly heard: () => Promise<Heard>;
  /** Presses the merchant's pay button; what `submit()` resolves with. */
  readonly submit: () => Promise<{
    readonly status: string;
    readonly errorCode?: string;
    readonly message?: string;
  }>;
}

/** What the merchant's page passes to `mount`, unchanged. */
export interface SdkMount {
  /** Where Cardform is served. */
  readonly url: string;
  readonly payload: string;
  /** Null for a function that never answers. */
  readonly clientSecret: string | null;
  readonly locale?: string;
}

/** Opens `merchant` and has the SDK of `at`, the mount's address when left out, show the form there. */
export async function openWithSdk(
  watched: WatchedPage,
  merchant: string,
  options: SdkMount,
  at = options.url,
): Promise<WithSdk> {
  const { page } = watched;
  await page.goto(merchant);
  await page.addScriptTag({ type: "module", content: mountingScript(`${at}/sdk/cardform.js`, options) });
  await page.waitForFunction(() => "form" in window);
  type WindowWithForm = { heard: Heard; form: { submit(): ReturnType<WithSdk["submit"]> } };
  return {
    ...watched,
    form: page.frameLocator("main iframe"),
    heard: () => page.evaluate(() => (window as unknown as WindowWithForm).heard),
    submit: () => page.evaluate(() => (window as unknown as WindowWithForm).form.submit()),
  };
}

/** What a merchant's page does with the SDK. */
function mountingScript(sdk: string, options: SdkMount): string {
  return `
    import { mount } from ${JSON.stringify(sdk)};
    const options = ${JSON.stringify(options)};
    const heard = { results: [], errors: [], loads: 0 };
    options.clientSecret ??= () => new Promise(() => {});
    const form = mount("main", options);
    form.on("result", (result) => heard.results.push(result));
    const started = performance.now();
    form.on("error", (error) => heard.errors.push({ ...error, ms: performance.now() - started }));
    form.on("load", () => { heard.loads += 1; });
    Object.assign(window, { heard, form });
  `;
}

/** A form in the frame of a page that speaks the protocol itself. */
export interface Embedded extends WatchedPage {
  readonly form: FrameLocator;
  readonly created: CreatedCharge;
  /** Every message that the form has posted so far. */
  readonly received: () => Promise<Message[]>;
  /** Posts messages of the protocol to the form. */
  readonly post: (...messages: object[]) => Promise<void>;
  /** Posts anything at all to the form. */
  readonly postRaw: (...data: unknown[]) => Promise<void>;
}

/** A merchant's page on its own origin, empty until a test puts something in. */
export interface MerchantPage {
  readonly url: string;
  readonly stop: () => void;
}

const EMPTY_PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Merchant</title><body><main></main></body></html>';

export async function startMerchantPage(html: () => string = () => EMPTY_PAGE): Promise<MerchantPage> {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end(html());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, stop: () => server.close() };
}

/** Where the form is in the merchant's page, and what is paid in it. */
export interface EmbeddedCharge {
  readonly top?: number;
  readonly charge?: Partial<CreateCharge>;
  /** The test moves the page's time on. */
  readonly movesTime?: boolean;
}

/** Opens the merchant's page with the form of a new charge in it, `top` pixels down, and waits for its first message. */
export async function openEmbedded(
  service: Service,
  browser: Browser,
  merchant: MerchantPage,
  options: Options = {},
  { top = 0, charge = {}, movesTime = false, ...context }: BrowserContextOptions & EmbeddedCharge = {},
): Promise<Embedded> {
  const created = await service.merchant.createCharge(charge);
  const watched = await openPage(browser, context);
  const { page } = watched;
  if (movesTime) {
    await page.clock.install();
  }
  await page.goto(merchant.url);
  const query = new URLSearchParams({ payload: created.payload, options: JSON.stringify(options) });
  await page.evaluate(embed, { src: `${service.url}/?${query}`, top });
  await page.waitForFunction(() =>
    (window as unknown as { received: Message[] }).received.some(({ type }) => type.endsWith("user-loaded")),
  );
  return {
    ...watched,
    form: page.frameLocator("iframe"),
    created,
    received: () => page.evaluate(() => (window as unknown as { received: Message[] }).received),
    post: (...messages) =>
      postRaw(
        page,
        messages.map((message) => ({ ...ENVELOPE, ...message })),
      ),
    postRaw: (...data) => postRaw(page, data),
  };
}

/** Runs in the merchant's page: adds the frame, and keeps its messages. */
function embed({ src, top }: { readonly src: string; readonly top: number }): void {
  const received: unknown[] = [];
  Object.assign(window, { received });
  window.addEventListener("message", (event) => received.push(event.data));
  const frame = document.createElement("iframe");
  frame.name = "form-1";
  frame.title = "Card";
  frame.src = src;
  frame.style.cssText = `margin-top: ${top}px; width: 100%; height: 420px; border: 0`;
  document.querySelector("main")?.append(frame);
}

function postRaw(page: Page, data: readonly unknown[]): Promise<void> {
  return page.evaluate((all) => {
    for (const message of all) {
      document.querySelector("iframe")?.contentWindow?.postMessage(message, "*");
    }
  }, data);
}
