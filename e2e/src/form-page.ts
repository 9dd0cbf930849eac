// Opens the form for a test: as the standalone payment page, or in a frame of a merchant's page.

import { createServer } from "node:http";
import type { Cardform, CardformError, SubmitResult } from "@cardform/js";
import type { Browser, BrowserContextOptions, FrameLocator, Page } from "playwright-core";

import type { CreateCharge, CreatedCharge } from "../../form/generated/wire.ts";
import { openPage, type WatchedPage } from "./browser.ts";
import { listenLocally } from "./proxy.ts";
import type { Service } from "./service.ts";

/** The `options` of the page's query (docs/form.md#options). */
export type PageOptions = Readonly<Record<string, unknown>>;

/** Options for a form that also asks for the cardholder's name and email. */
export const ALL_FIELDS: PageOptions = { show_cardholder_name: true, show_cardholder_email: true };

/** The address of the payment page of a new charge. */
export async function paymentPage(
  service: Service,
  options: PageOptions = {},
  charge: Partial<CreateCharge> = {},
): Promise<string> {
  const url = new URL((await service.merchant.createCharge(charge)).url);
  url.searchParams.set("options", JSON.stringify(options));
  return url.href;
}

/** Opens the payment page of a new charge and waits until its script has started. */
export async function openStandalone(
  service: Service,
  browser: Browser,
  options: PageOptions = {},
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
export interface SdkEvents {
  readonly results: readonly SubmitResult[];
  /** `ms` after the form was mounted. */
  readonly errors: readonly (CardformError & { readonly ms: number })[];
  /** How often the form has loaded. */
  readonly loads: number;
}

/** A merchant's page that shows the form with the SDK. */
export interface PageWithSdk extends WatchedPage {
  readonly form: FrameLocator;
  readonly sdkEvents: () => Promise<SdkEvents>;
  readonly submit: Cardform["submit"];
}

/** What the merchant's page passes to `mount`, unchanged. */
export interface SdkOptions {
  /** The address of the Cardform service. */
  readonly url: string;
  readonly payload: string;
  /** With null the page passes a function whose promise never resolves. */
  readonly clientSecret: string | null;
  readonly locale?: string;
}

/** Opens the page at `merchant` and shows the form there with the SDK, which is loaded from the service at `sdkUrl`. */
export async function openWithSdk(
  watched: WatchedPage,
  merchant: string,
  options: SdkOptions,
  sdkUrl = options.url,
): Promise<PageWithSdk> {
  const { page } = watched;
  await page.goto(merchant);
  await page.addScriptTag({ type: "module", content: mountingScript(`${sdkUrl}/sdk/cardform.js`, options) });
  await page.waitForFunction(() => "form" in window);
  type WindowWithForm = { sdkEvents: SdkEvents; form: Cardform };
  return {
    ...watched,
    form: page.frameLocator("main iframe"),
    sdkEvents: () => page.evaluate(() => (window as unknown as WindowWithForm).sdkEvents),
    submit: () => page.evaluate(() => (window as unknown as WindowWithForm).form.submit()),
  };
}

/** The script of a merchant's page that mounts the form and records what the SDK reports. */
function mountingScript(sdkScript: string, options: SdkOptions): string {
  return `
    import { mount } from ${JSON.stringify(sdkScript)};
    const options = ${JSON.stringify(options)};
    const sdkEvents = { results: [], errors: [], loads: 0 };
    options.clientSecret ??= () => new Promise(() => {});
    const form = mount("main", options);
    form.on("result", (result) => sdkEvents.results.push(result));
    const started = performance.now();
    form.on("error", (error) => sdkEvents.errors.push({ ...error, ms: performance.now() - started }));
    form.on("load", () => { sdkEvents.loads += 1; });
    Object.assign(window, { sdkEvents, form });
  `;
}

/** A form in a frame of a merchant's page that posts and receives messages itself, without the SDK. */
export interface EmbeddedForm extends WatchedPage {
  readonly form: FrameLocator;
  readonly created: CreatedCharge;
  /** Every message that the form has posted so far. */
  readonly received: () => Promise<Message[]>;
  /** Posts these messages to the form, with the fields of the envelope added. */
  readonly post: (...messages: object[]) => Promise<void>;
  /** Posts these values to the form, unchanged. */
  readonly postRaw: (...data: unknown[]) => Promise<void>;
}

/** A merchant's page on another origin than the service's. */
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
  return { url: `${await listenLocally(server)}/`, stop: () => server.close() };
}

/** How the form is opened in the merchant's page. */
export interface EmbedOptions {
  /** How far down the page the form is, in pixels. */
  readonly top?: number;
  /** Fields of the charge that differ from the usual ones. */
  readonly charge?: Partial<CreateCharge>;
  /** True when the test advances the page's clock itself. */
  readonly controlsClock?: boolean;
}

/** Opens the merchant's page with the form of a new charge, and waits until the form has loaded. */
export async function openEmbedded(
  service: Service,
  browser: Browser,
  merchant: MerchantPage,
  options: PageOptions = {},
  { top = 0, charge = {}, controlsClock = false, ...context }: BrowserContextOptions & EmbedOptions = {},
): Promise<EmbeddedForm> {
  const created = await service.merchant.createCharge(charge);
  const watched = await openPage(browser, context);
  const { page } = watched;
  if (controlsClock) {
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

/** Runs in the merchant's page: adds the frame and records its messages. */
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
