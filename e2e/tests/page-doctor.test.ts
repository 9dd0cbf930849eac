// `/sdk/doctor.js` shows over a merchant's page what is wrong with how the form is embedded. Each finding is provoked.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";

import type { PageFindingCode } from "../../sdk/js/src/doctor/findings.ts";
import { axeViolations } from "../src/accessibility.ts";
import { openPage, PHONE } from "../src/browser.ts";
import type { Service } from "../src/service.ts";
import { test as base, startAndStop } from "../src/test.ts";

/** The doctor looks every second, on a busy machine more rarely. */
const FOUND = { timeout: 20_000 };
/** Longer than the form may say nothing. */
const LONG_MS = 20_000;

/** A merchant's page at another origin, whose document and policy a test sets. */
const test = base.extend(
  "shop",
  { scope: "file" },
  startAndStop(async () => {
    const page = { document: "", policy: "" };
    const server = createServer((_, response) => {
      if (page.policy !== "") {
        response.setHeader("content-security-policy", page.policy);
      }
      response.setHeader("content-type", "text/html; charset=utf-8").end(page.document);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return { page, url, stop: () => new Promise((resolve) => server.close(resolve)) };
  }),
);

/** What is wrong with a page. */
interface Mistake {
  /** After the style sheet's `#card {`. */
  readonly style?: string;
  readonly html?: string;
  readonly viewport?: string;
  /** Another payload than the charge's. */
  readonly payload?: string;
  /** A frame without the SDK, with these attributes. */
  readonly frame?: string;
  readonly policy?: (url: string) => string;
  readonly context?: BrowserContextOptions;
  readonly prepare?: (page: Page, service: Service) => Promise<unknown>;
  /** The page's address, instead of the shop's. */
  readonly address?: string;
  /** What follows from the mistake, too. */
  readonly also?: readonly PageFindingCode[];
}

const TOUCH: BrowserContextOptions = { viewport: PHONE, hasTouch: true, isMobile: true };
const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** One mistake or more for each finding. The type fails to compile when one has none. */
const MISTAKES: Readonly<Record<PageFindingCode, readonly Mistake[]>> = {
  origin_not_allowed: [{ payload: "of another shop" }],
  payload_refused: [{ payload: "bm9uZQ" }],
  service_unreachable: [{ prepare: (page) => page.route("**/v1/pub/embedding?*", (route) => route.abort()) }],
  mixed_content: [
    {
      address: "https://shop.example/",
      frame: 'src="http://pay.example/?payload=bm9uZQ"',
      also: ["service_unreachable"],
    },
  ],
  page_blocks_frame: [
    { policy: (url) => `default-src 'none'; script-src 'unsafe-inline' ${url}; connect-src ${url}` },
    { policy: (url) => `child-src 'none'; connect-src ${url}` },
  ],
  page_blocks_script: [{ policy: (url) => `script-src 'unsafe-inline' ${url}/sdk/doctor.js` }],
  page_blocks_connect: [{ policy: () => "connect-src 'self'" }],
  form_silent: [
    {
      frame: "src",
      prepare: async (page, { url }) => {
        await page.route(`${url}/?payload=*`, (route) =>
          route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Something else</title>" }),
        );
      },
    },
  ],
  frame_sandboxed: [{ frame: 'src sandbox="allow-scripts"' }, { frame: "src sandbox" }],
  page_sandboxed: [{ policy: () => "sandbox allow-scripts" }],
  storage_blocked: [
    {
      prepare: (page) =>
        page.addInitScript(() => {
          const denied = () => {
            throw new DOMException("The operation is insecure.", "SecurityError");
          };
          Object.defineProperty(window, "localStorage", { get: denied });
        }),
    },
  ],
  frame_scaled: [
    { style: "transform: scale(0.8)" },
    { style: "zoom: 0.75" },
    { style: "scale: 1.2" },
    { style: "transform: scale(0.5)", context: TOUCH, also: ["small_inputs"] },
  ],
  frame_clipped: [
    { style: "height: 90px; overflow: hidden" },
    { style: "max-height: 90px; overflow: clip" },
    { html: "<style>iframe { height: 90px !important }</style>" },
    { style: "width: 300px; margin-left: -80px", html: "<style>main { overflow: hidden }</style>" },
  ],
  small_inputs: [
    { context: TOUCH, html: '<input id="coupon" style="font-size: 13px" aria-label="Coupon">' },
    { context: TOUCH, style: "zoom: 0.9", also: ["frame_scaled"] },
  ],
  viewport_missing: [{ context: TOUCH, viewport: "" }],
};

async function documentOf(service: Service, mistake: Mistake): Promise<string> {
  const merchant =
    mistake.payload === "of another shop"
      ? service.addMerchant("--name", "Other", "--allowed-origin", "https://shop.example")
      : service.merchant;
  const charge = await merchant.createCharge();
  const isGiven = mistake.payload !== undefined && mistake.payload !== "of another shop";
  const payload = isGiven ? mistake.payload : charge.payload;
  const { client_secret: clientSecret } = charge;
  const at = mistake.address === undefined ? service.url : "https://pay.example";
  const source = `src="${service.url}/?payload=${encodeURIComponent(payload ?? "")}"`;
  const shown =
    mistake.frame === undefined
      ? `<script type="module">import { mount } from "${at}/sdk/cardform.js";
           mount("#card", ${JSON.stringify({ url: at, payload, clientSecret })});</script>`
      : `<iframe title="Card" ${mistake.frame.replace(/^src(?!=)/, source)}></iframe>`;
  return `<!doctype html><html lang="en"><title>Shop</title>${mistake.viewport ?? VIEWPORT}
    <script src="${at}/sdk/doctor.js"></script><style>#card { ${mistake.style ?? ""} }</style>
    <main><h1>Shop</h1>${mistake.html ?? ""}<div id="card"></div></main>${shown}`;
}

const CASES = Object.entries(MISTAKES).flatMap(([code, mistakes]) =>
  mistakes.map((mistake, at) => [`${code}, ${at + 1}`, code as PageFindingCode, mistake] as const),
);

function shownCodes(page: Page): Promise<string[]> {
  const items = page.locator("cardform-doctor li");
  return items.evaluateAll((all) => all.map((item) => (item as HTMLElement).dataset.code ?? ""));
}

test.for(CASES)("it finds %s", async ([, code, mistake], { service, browser, shop }) => {
  const { page, pageErrors } = await openPage(browser, mistake.context);
  shop.page.policy = mistake.policy?.(service.url) ?? "";
  shop.page.document = await documentOf(service, mistake);
  await mistake.prepare?.(page, service);
  if (mistake.address !== undefined) {
    const script = await (await fetch(`${service.url}/sdk/doctor.js`)).text();
    await page.route("https://pay.example/sdk/doctor.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: script }),
    );
    await page.route(mistake.address, (route) =>
      route.fulfill({ contentType: "text/html", body: shop.page.document }),
    );
  }
  await page.goto(mistake.address ?? shop.url);
  const expected = [code, ...(mistake.also ?? [])].sort();
  await expect.poll(async () => [...new Set(await shownCodes(page))].sort(), FOUND).toEqual(expected);
  // It is over the page in its own style, whatever the page's policy forbids.
  const style = await page
    .locator("cardform-doctor section")
    .evaluate((section) => getComputedStyle(section).position);
  expect(style).toBe("fixed");
  expect(await page.locator(`cardform-doctor li[data-code=${code}]`).first().innerText()).toContain(
    "What to do: ",
  );
  await page.context().close();
  pageErrors.splice(0);
});

/** Runs in the merchant's page: its document tells when the service has answered and when the form has spoken. */
function noteWhatArrives(): void {
  if (window !== window.parent) {
    return;
  }
  // The page's clock is moved, and the service answers by the real one.
  AbortSignal.timeout = () => new AbortController().signal;
  const { json } = Response.prototype;
  Response.prototype.json = async function () {
    const answer: unknown = await json.call(this);
    if (this.url.includes("/v1/pub/embedding?")) {
      document.documentElement.dataset.answered = "";
    }
    return answer;
  };
  window.addEventListener("message", () => {
    document.documentElement.dataset.heard = "";
  });
}

test("a page without mistakes shows nothing", async ({ service, browser, shop }) => {
  const { page } = await openPage(browser, TOUCH);
  shop.page.policy = `default-src 'none'; script-src 'unsafe-inline' ${service.url}; frame-src ${service.url}; connect-src ${service.url}; style-src 'unsafe-inline'`;
  shop.page.document = await documentOf(service, {});
  await page.clock.install();
  await page.addInitScript(noteWhatArrives);
  await page.goto(shop.url);
  await page.locator("html[data-answered][data-heard]").waitFor();
  await page.clock.runFor(LONG_MS);
  expect(await page.locator("cardform-doctor").count()).toBe(0);
});

test("a finding disappears when the page is mended, or when it is closed", async ({
  service,
  browser,
  shop,
}) => {
  const { page, pageErrors } = await openPage(browser);
  shop.page.policy = "";
  shop.page.document = await documentOf(service, { style: "height: 90px; overflow: hidden" });
  await page.goto(shop.url);
  await expect.poll(() => shownCodes(page), FOUND).toEqual(["frame_clipped"]);
  expect(await axeViolations(page.mainFrame())).toEqual([]);
  await page.locator("#card").evaluate((card) => card.removeAttribute("id"));
  await page.locator("cardform-doctor").waitFor({ state: "detached", ...FOUND });
  await page.locator("main > div").evaluate((card) => card.setAttribute("id", "card"));
  await expect.poll(() => shownCodes(page), FOUND).toEqual(["frame_clipped"]);
  await page.getByRole("button", { name: "Close" }).click();
  await page.locator("cardform-doctor").waitFor({ state: "detached" });
  expect(pageErrors.splice(0)).toEqual([expect.stringContaining("Cardform doctor: frame_clipped: ")]);
});

test("a form in a shadow root is found", async ({ service, browser, shop }) => {
  const { page, pageErrors } = await openPage(browser);
  shop.page.policy = "";
  shop.page.document = (await documentOf(service, { style: "" }))
    .replace('<div id="card"></div>', '<div id="host" style="height: 60px; overflow: hidden"></div>')
    .replace('mount("#card",', 'mount(document.querySelector("#host").attachShadow({ mode: "open" }),')
    .replace(
      'attachShadow({ mode: "open" })',
      'attachShadow({ mode: "open" }).appendChild(document.createElement("div"))',
    );
  await page.goto(shop.url);
  await expect.poll(() => shownCodes(page), FOUND).toEqual(["frame_clipped"]);
  pageErrors.splice(0);
});
