// Every code block of the served documentation is tried: pages in a browser, commands in a shell, requests against a
// service. A block that is not tried has a mark that says why.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import playwrightPackage from "playwright-core/package.json" with { type: "json" };
import { parseAst } from "vite";
import { expect } from "vitest";

import type { CreatedCharge } from "../../form/generated/wire.ts";
import { openPage } from "../src/browser.ts";
import { type DocumentedCode, documentedCode, hasOwnTest, reasonNotTried } from "../src/documented-code.ts";
import { createProject, packagesOf, STRICT_PROJECT } from "../src/merchant-project.ts";
import { BINARY, ENVIRONMENT, type Service } from "../src/service.ts";
import { CARDS, formIn, typeCard } from "../src/shopper.ts";
import { test as base, startAndStop } from "../src/test.ts";

/** Packing and installing takes long on a busy machine. */
const PROJECT_TIMEOUT_MS = 300_000;

/** What a page of a shop is in the documentation, and in this test. */
const CARDFORM = "https://pay.example";

const THANKS = "<!doctype html><title>Thanks</title>";

/**
 * A merchant's shop at another origin, whose page a test sets. It answers every POST with the client secret. Its page of
 * thanks has no form: that would find the charge paid, and lead to the page of thanks again.
 */
const test = base.extend(
  "shop",
  { scope: "file" },
  startAndStop(async () => {
    const page = { document: "", clientSecret: "" };
    const server = createServer((request, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      const shown = request.url?.startsWith("/thank") ? THANKS : page.document;
      response.end(request.method === "POST" ? page.clientSecret : shown);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { page, url, stop: () => new Promise((resolve) => server.close(resolve)) };
  }),
);

/** The blocks of these languages that this test must try. */
async function blocks(service: Service, ...languages: string[]): Promise<DocumentedCode[]> {
  const all = await documentedCode(service.url);
  return all.filter(
    (block) =>
      languages.includes(block.language) && !hasOwnTest(block) && reasonNotTried(block) === undefined,
  );
}

test("every block is of a language that is tried, or says why it is not", async ({ service }) => {
  const all = await documentedCode(service.url);
  expect(all.length).toBeGreaterThan(15);
  const tried = ["sh", "json", "html", "js", "ts", "tsx"];
  const left = all.filter(
    (block) => !(hasOwnTest(block) || reasonNotTried(block) || tried.includes(block.language)),
  );
  expect(left.map(({ page, language, marks }) => `${page}: ${language} ${marks}`)).toEqual([]);
  for (const { page, language, marks } of all.filter(reasonNotTried)) {
    console.info(`not tried: ${page}: ${language} ${marks}`);
  }
});

test("JSON is JSON, and what creates a charge creates one", async ({ service }) => {
  for (const { page, code } of await blocks(service, "json")) {
    const body = JSON.parse(code) as Record<string, unknown>;
    if ("shopper_id" in body || "item_code" in body) {
      const charge = await service.merchant.createCharge(body);
      expect(charge.status, page).toBe("created");
    }
  }
});

test("scripts can be read by a parser", async ({ service }) => {
  for (const { page, language, code } of await blocks(service, "js", "ts", "tsx")) {
    const lang = language as "js" | "ts" | "tsx";
    // A block that is only an object is an expression.
    const text = code.startsWith("{") ? `(${code})` : code;
    expect(parseAst(text, { lang }).body.length, page).toBeGreaterThan(0);
  }
});

test("scripts in TypeScript pass strict checks", { timeout: PROJECT_TIMEOUT_MS }, async ({ service }) => {
  const scripts = await blocks(service, "ts", "tsx");
  expect(scripts.length).toBeGreaterThan(4);
  const files = scripts.map(({ page, language, code }, at) => [
    `${page.replace(/\W+/g, "-").slice(1)}-${at}.${language}`,
    code,
  ]);
  const packed = packagesOf(service);
  const playwright = `@playwright/test@${playwrightPackage.version}`;
  const project = await createProject(
    { ...Object.fromEntries(files), "tsconfig.json": JSON.stringify({ compilerOptions: STRICT_PROJECT }) },
    [packed.js, packed.react, packed.testing, "react@19", "@types/react@19", playwright],
  );
  await project.runTool("tsc", "-p", "tsconfig.json");
  project.remove();
});

/** Fills in the form of the page and presses its pay button. */
async function payOn(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await typeCard(formIn(page), page, CARDS.approved);
  await page.click("#pay");
}

test("every documented shop page pays unchanged", { timeout: 120_000 }, async ({
  browser,
  service,
  shop,
}) => {
  const pages = await blocks(service, "html");
  expect(pages.length).toBeGreaterThan(2);
  for (const block of pages) {
    const charge: CreatedCharge = await service.merchant.createCharge();
    const { payload, client_secret } = charge;
    const values = `<script>const payload = "${payload}", client_secret = "${client_secret}";</script>`;
    const button = block.code.includes('id="pay"') ? "" : '<button type="button" id="pay">Pay</button>';
    shop.page.clientSecret = client_secret;
    shop.page.document =
      `<!doctype html><title>Shop</title>${values}${button}` +
      block.code
        .replaceAll(CARDFORM, service.url)
        .replace("payload=…", `payload=${encodeURIComponent(payload)}`);
    const { page } = await openPage(browser);
    const navigations: string[] = [];
    page.on("request", (request) => {
      if (request.isNavigationRequest() && request.url().includes("/thank")) navigations.push(request.url());
    });
    await payOn(page, shop.url);
    await page.waitForURL(/\/thank/);
    expect(await page.title(), block.page).toBe("Thanks");
    // A second navigation would abort the first.
    expect(navigations, block.page).toHaveLength(1);
    expect((await service.merchant.charge(charge.id)).status, block.page).toBe("succeeded");
    await page.context().close();
  }
});

test("every command works against a service", { timeout: 120_000 }, async ({ service, onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), "cardform-commands-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(BINARY, join(folder, "cardform"));
  const environment = { ...ENVIRONMENT, PATH: `${folder}:${process.env.PATH}`, CARDFORM_DATABASE: "" };
  environment.CARDFORM_DATABASE = `sqlite:${join(folder, "cardform.db")}`;
  const shell = async (script: string) => {
    writeFileSync(join(folder, "script.sh"), script);
    const running = promisify(execFile)("bash", ["-eu", "script.sh"], { cwd: folder, env: environment });
    running.child.stdin?.end();
    return (await running).stdout;
  };
  await shell("cardform migrate");
  const added = await shell("cardform merchant add --name Shop --json");
  const merchant = JSON.parse(added) as { partner_id: string };
  const charge = await service.merchant.createCharge();
  const commands = await blocks(service, "sh");
  expect(commands.length).toBeGreaterThan(4);
  for (const { page, code } of commands) {
    const lines = code.split("\n").filter((line) => !/^(cardform demo|URL=|SECRET_KEY=)/.test(line));
    const script = lines
      .join("\n")
      .replaceAll("partner_…", merchant.partner_id)
      .replaceAll("ch_…", charge.id)
      // A 4xx or 5xx is an error here.
      .replaceAll("curl ", "curl --fail-with-body -sS ");
    const values = `URL=${service.url}\nSECRET_KEY=${service.secretKey}\n`;
    await expect(shell(values + script), `${page}: ${code}`).resolves.toBeTypeOf("string");
  }
  expect(readFileSync(join(folder, "cardform.db")).length).toBeGreaterThan(0);
});
