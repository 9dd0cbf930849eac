// The npm packages as a merchant gets them from a running service: the tests install them into empty projects, check their
// types, bundle them and pay.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { fillCard, pay, TEST_CARDS } from "@cardform/testing";
import { afterAll, describe, expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { createProject, type MerchantProject, packagesOf, runNpm, runTool } from "../src/merchant-project.ts";
import { test as base } from "../src/test.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
/** Installing and building a project takes long on a busy machine with a slow registry. */
const PROJECT_TIMEOUT_MS = 300_000;
/** How many bytes the SDK and its React component may add to a merchant's page, compressed (docs/budgets.md#sizes). */
const SDK_BYTES_MAX = 3_000;
const REACT_BYTES_MAX = 1_500;

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable"],
  types: [],
  jsx: "react-jsx",
};

/** How long a change of the form may take on a busy machine. */
const CHANGE_MS_MAX = 20_000;

const CHECKOUT = `
import { CardForm, type CardFormState, useCardForm } from "@cardform/react";
import { useState } from "react";

export interface Charge { readonly payload: string; readonly clientSecret: string; readonly url: string }

export function Checkout({ charge }: { readonly charge: Charge }) {
  const form: CardFormState = useCardForm();
  const [tall, setTall] = useState(false);
  return (
    <main>
      <CardForm
        ref={form.ref}
        {...form.listeners}
        url={charge.url}
        payload={charge.payload}
        clientSecret={charge.clientSecret}
        options={{ showCardholderName: tall }}
        {...(tall && { customStyle: { children: { cardForm: { inputHeight: "56px" } } } })}
      />
      <button type="button" onClick={() => setTall(true)}>Change</button>
      <button type="button" disabled={form.submitting} onClick={() => void form.submit()}>Pay</button>
      <output>{form.result?.status ?? ""}</output>
    </main>
  );
}

export function unusable(form: CardFormState) {
  // @ts-expect-error a result has no such status.
  return form.result?.status === "paid";
}
`;

const test = base.extend("packed", { scope: "file" }, async ({ service }) => packagesOf(service));

test(
  "a bare npm pack builds what it packs",
  async () => {
    for (const folder of ["sdk/js", "sdk/react", "sdk/testing"]) {
      rmSync(join(REPOSITORY, folder, "dist"), { recursive: true, force: true });
      const printed = await runNpm(folder, "pack", "--dry-run", "--json");
      expect(printed, folder).toContain('"dist/index.js"');
      expect(printed, folder).toContain('"dist/index.d.ts"');
    }
  },
  PROJECT_TIMEOUT_MS,
);

test("the documentation has the integrity of the served packages", async ({ packed, service }) => {
  const page = await (await fetch(`${service.url}/docs/sdk.md`)).text();
  for (const address of Object.values(packed)) {
    const bytes = Buffer.from(await (await fetch(address)).arrayBuffer());
    expect(page).toContain(`sha512-${createHash("sha512").update(bytes).digest("base64")}`);
  }
});

test(
  "the packed files pass publint and attw",
  async () => {
    for (const name of ["js", "react", "testing"]) {
      const file = join(REPOSITORY, `dist/sdk/cardform-${name}.tgz`);
      expect(await runTool("publint", "run", "--strict", file)).toContain("All good!");
      // attw fails when it finds a problem. The packages have ES modules only.
      await runTool("attw", "--profile", "esm-only", file);
    }
  },
  PROJECT_TIMEOUT_MS,
);

test(
  "a script imported by its address has types",
  async ({ service }) => {
    const types = await (await fetch(`${service.url}/sdk/cardform.d.ts`)).text();
    const project = await createProject(
      {
        "cardform.d.ts": types,
        "shop.ts": `import { mount } from "https://pay.example/sdk/cardform.js";
export const form = mount("#card", { payload: "p", clientSecret: "s" });
// @ts-expect-error there is no such option.
mount("#card", { payload: "p", clientSecret: "s", color: "red" });
`,
        "tsconfig.json": JSON.stringify({
          compilerOptions: {
            ...STRICT,
            module: "esnext",
            moduleResolution: "bundler",
            paths: { "https://pay.example/sdk/cardform.js": ["./cardform.d.ts"] },
          },
        }),
      },
      [],
    );
    await project.runTool("tsc", "-p", "tsconfig.json");
    project.remove();
  },
  PROJECT_TIMEOUT_MS,
);

test(
  "the packed test helpers pass strict checks and pay",
  async ({ packed, service, browser }) => {
    const typescript = { ...STRICT, skipLibCheck: true, module: "nodenext" };
    const project = await createProject(
      {
        "playwright.ts": `import { challenge, fillCard, pay, TEST_CARDS } from "@cardform/testing";
import type { Page } from "playwright-core";
export async function buy(page: Page): Promise<void> {
  await fillCard(page, { number: TEST_CARDS.challenge, expiry: "12/30", securityCode: "123", save: true });
  await fillCard(page.frameLocator("#gift iframe"), { number: TEST_CARDS.approved });
  const { status } = await pay(page, { button: "#buy" });
  if (status === "challenge") await challenge(page, "pass");
  // @ts-expect-error the bank has no such answer.
  await challenge(page, "perhaps");
}
`,
        "selenium.ts": `import { fillCard, pay, seleniumDriver, TEST_CARDS } from "@cardform/testing";
import type { WebDriver } from "selenium-webdriver";
export async function buy(browser: WebDriver): Promise<void> {
  const driver = seleniumDriver(browser);
  await fillCard(driver, { number: TEST_CARDS.approved, expiry: "12/30", securityCode: "123" });
  await pay(driver, { button: "#buy" });
}
`,
        "tsconfig.json": JSON.stringify({ compilerOptions: typescript }),
      },
      [packed.testing, "playwright-core", "selenium-webdriver", "@types/selenium-webdriver"],
    );
    await project.runTool("tsc", "-p", "tsconfig.json");
    const installed = join(project.folder, "node_modules/@cardform/testing/dist/index.js");
    const helpers: typeof import("@cardform/testing") = await import(pathToFileURL(installed).href);
    const { url, id } = await service.merchant.createCharge();
    const { page } = await openPage(browser);
    await page.goto(url);
    await helpers.fillCard(page, {
      number: helpers.TEST_CARDS.approved,
      expiry: "12/30",
      securityCode: "123",
    });
    expect(await helpers.pay(page)).toEqual({ status: "succeeded" });
    expect((await service.merchant.charge(id)).status).toBe("succeeded");
    await page.context().close();
    project.remove();
  },
  PROJECT_TIMEOUT_MS,
);

describe.each(["18", "19"])("with React %s", (react) => {
  let project: MerchantProject;
  let shop: Server;

  test.beforeAll(async ({ packed }) => {
    const types = {
      bundler: { module: "esnext", moduleResolution: "bundler" },
      nodenext: { module: "nodenext" },
    };
    const configs = Object.entries(types).map(([name, options]) => [
      `tsconfig.${name}.json`,
      JSON.stringify({ compilerOptions: { ...STRICT, ...options }, include: ["src"] }),
    ]);
    project = await createProject(
      {
        "src/checkout.tsx": CHECKOUT,
        "src/main.tsx": `
import { createRoot } from "react-dom/client";
import { StrictMode } from "react";
import { Checkout } from "./checkout.js";
const charge = JSON.parse(decodeURIComponent(location.hash.slice(1)));
createRoot(document.getElementById("root") as HTMLElement).render(<StrictMode><Checkout charge={charge} /></StrictMode>);
`,
        "src/server.tsx": `
import { renderToString } from "react-dom/server";
import { Checkout } from "./checkout.js";
export const html = renderToString(<Checkout charge={{ url: "https://pay.example", payload: "p", clientSecret: "s" }} />);
`,
        "src/sdk.ts": 'import { mount } from "@cardform/js";\nexport const show = mount;\n',
        "index.html":
          '<!doctype html><title>Shop</title><div id="root"></div><script type="module" src="/src/main.tsx"></script>',
        "plain.mjs": 'import { mount } from "@cardform/js";\nconsole.log(typeof mount);\n',
        ...Object.fromEntries(configs),
      },
      [
        packed.js,
        packed.react,
        `react@${react}`,
        `react-dom@${react}`,
        `@types/react@${react}`,
        `@types/react-dom@${react}`,
      ],
    );
  }, PROJECT_TIMEOUT_MS);

  afterAll(() => {
    shop?.close();
    project?.remove();
  });

  test.each(["bundler", "nodenext"])(
    "the types pass strict checks with %s resolution",
    async (resolution) => {
      await project.runTool("tsc", "-p", `tsconfig.${resolution}.json`);
    },
    PROJECT_TIMEOUT_MS,
  );

  test(
    "Node imports the SDK, and a server renders an empty container",
    async () => {
      expect((await project.runNode("plain.mjs")).trim()).toBe("function");
      await project.runTool("vite", "build", "--ssr", "src/server.tsx", "--outDir", "server");
      const html = await project.runNode(
        "-e",
        'import("./server/server.js").then((built) => console.log(built.html))',
      );
      expect(html).toContain("<main><div></div><button");
    },
    PROJECT_TIMEOUT_MS,
  );

  test(
    "a shop that Vite builds takes a payment",
    async ({ service, browser }) => {
      await project.runTool("vite", "build");
      shop = serveFolder(join(project.folder, "dist"));
      await new Promise((resolve) => shop.once("listening", resolve));
      const { payload, client_secret: clientSecret, id } = await service.merchant.createCharge();
      const { page } = await openPage(browser);
      const charge = encodeURIComponent(JSON.stringify({ url: service.url, payload, clientSecret }));
      await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/#${charge}`);
      await fillCard(page, { number: TEST_CARDS.approved, expiry: "12/30", securityCode: "123" });
      // Other properties change the form in place, and what was typed stays.
      await page.getByRole("button", { name: "Change" }).click();
      const form = page.frameLocator("iframe");
      const box = form.locator(".field-card-number .field-box");
      await expect.poll(async () => (await box.boundingBox())?.height, { timeout: CHANGE_MS_MAX }).toBe(56);
      expect(await form.locator("#card-number").inputValue()).toBe("4242 4242 4242 4242");
      await form.locator("#card-holder-name").fill("Ana Sol");
      expect(await pay(page, { button: "main > button:last-of-type" })).toEqual({ status: "succeeded" });
      await expect.poll(() => page.locator("output").textContent()).toBe("succeeded");
      expect((await service.merchant.charge(id)).status).toBe("succeeded");
      await page.context().close();
    },
    PROJECT_TIMEOUT_MS,
  );

  test(
    "a bundle of SDK and component is small enough",
    async () => {
      const bytes = async (entry: string, ...external: string[]) => {
        const out = `size-${entry}`;
        const config = {
          build: {
            outDir: out,
            lib: { entry: `src/${entry}`, formats: ["es"], fileName: "entry" },
            minify: true,
            rolldownOptions: { external, output: { minify: true } },
          },
          logLevel: "error",
        };
        await project.runNode(
          "-e",
          `import(${JSON.stringify(VITE)}).then(({ build }) => build(${JSON.stringify(config)}))`,
        );
        const file = readdirSync(join(project.folder, out)).find((name) => name.startsWith("entry")) ?? "";
        return gzipSync(readFileSync(join(project.folder, out, file)), { level: 9 }).length;
      };
      const sdk = await bytes("sdk.ts");
      const both = await bytes("checkout.tsx", "react", "react/jsx-runtime");
      expect(sdk).toBeLessThanOrEqual(SDK_BYTES_MAX);
      expect(both - sdk).toBeLessThanOrEqual(REACT_BYTES_MAX);
    },
    PROJECT_TIMEOUT_MS,
  );
});

/** The address of the repository's Vite module, for builds with settings that a test passes. */
const VITE = import.meta.resolve("vite");

/** Serves a shop's page on another origin than the service's. */
function serveFolder(folder: string): Server {
  const types: Record<string, string> = { html: "text/html", js: "text/javascript" };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://shop").pathname;
    const file = path === "/" ? "index.html" : path.slice(1);
    try {
      const body = readFileSync(join(folder, file));
      response.writeHead(200, {
        "content-type": types[file.split(".").at(-1) ?? ""] ?? "application/octet-stream",
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  return server;
}
