// The pages of the documentation for Vue, Svelte, Next.js and Express: their files are compiled against the packed SDK,
// the shop of Express serves the pages of Vue and Svelte, and a shopper pays there.

import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { createProject, type MerchantProject, packagesOf, STRICT_PROJECT } from "../src/merchant-project.ts";
import { firstLine, type Service } from "../src/service.ts";
import { CARDS, formIn, typeCard } from "../src/shopper.ts";
import { test as base } from "../src/test.ts";

/** Installing and building takes long on a busy machine. */
const PROJECT_TIMEOUT_MS = 300_000;
const DOCS = join(import.meta.dirname, "../../docs");
/** What Cardform is in the documentation. */
const CARDFORM = "https://pay.example";
const WEBHOOK_SECRET = `whsec_${Buffer.from("a secret of this test").toString("base64")}`;

const test = base.extend("packed", { scope: "file" }, async ({ service }) => packagesOf(service));
const projects: MerchantProject[] = [];
const servers: (Server | ChildProcess)[] = [];

afterAll(() => {
  for (const server of servers) {
    "close" in server ? server.close() : server.kill();
  }
  for (const project of projects) {
    project.remove();
  }
});

/** The files of a page, by their names. */
function filesOf(page: string, url = CARDFORM): Record<string, string> {
  const text = readFileSync(join(DOCS, page), "utf8").replaceAll(CARDFORM, url);
  const files = [...text.matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm)];
  expect(files.length, page).toBeGreaterThan(0);
  return Object.fromEntries(files.map(([, name = "", code = ""]) => [name, code]));
}

async function project(...made: Parameters<typeof createProject>): Promise<MerchantProject> {
  const project = await createProject(...made);
  projects.push(project);
  return project;
}

/** Starts the shop of docs/express.md and returns its address. */
async function startExpress(service: Service): Promise<string> {
  const { folder } = await project(filesOf("express.md"), ["express@5", "standardwebhooks@1"]);
  const shop = spawn(process.execPath, ["server.mjs"], {
    cwd: folder,
    env: {
      ...process.env,
      CARDFORM_URL: service.url,
      CARDFORM_SECRET_KEY: service.secretKey,
      CARDFORM_WEBHOOK_SECRET: WEBHOOK_SECRET,
      PORT: "0",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  servers.push(shop);
  const line = await firstLine(shop);
  return line.replace("listening on ", "").trim();
}

test("the shop of Express checks the raw body of a webhook", { timeout: PROJECT_TIMEOUT_MS }, async ({
  service,
}) => {
  const shop = await startExpress(service);
  // Another writer of JSON would leave out these spaces.
  const body = '{ "type": "charge.succeeded",  "data": { "id": "ch_1", "partner_reference": "order-1" } }';
  const send = async (signed: string) => {
    const sent = Math.floor(Date.now() / 1000);
    const key = Buffer.from(WEBHOOK_SECRET.replace("whsec_", ""), "base64");
    const signature = createHmac("sha256", key).update(`evt_1.${sent}.${signed}`).digest("base64");
    const answer = await fetch(`${shop}/webhooks`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": "evt_1",
        "webhook-timestamp": String(sent),
        "webhook-signature": `v1,${signature}`,
      },
      body,
    });
    return answer.status;
  };
  expect(await send(body)).toBe(204);
  expect(await send(JSON.stringify(JSON.parse(body)))).toBe(400);
});

const MAIN = {
  vue: `import { createApp, h, Suspense } from "vue";
import App from "./App.vue";
createApp({ render: () => h(Suspense, null, { default: () => h(App) }) }).mount("#app");
`,
  svelte: `import { mount } from "svelte";
import App from "./App.svelte";
mount(App, { target: document.querySelector("#app") });
`,
};
const CONFIG = {
  vue: 'import vue from "@vitejs/plugin-vue";\nexport default { plugins: [vue()] };\n',
  svelte: `import { svelte, vitePreprocess } from "@sveltejs/vite-plugin-svelte";
export default { plugins: [svelte({ preprocess: vitePreprocess() })] };
`,
};
const PACKAGES = {
  vue: ["vue@3", "@vitejs/plugin-vue", "vite@8"],
  svelte: ["svelte@5", "@sveltejs/vite-plugin-svelte", "vite@8"],
};

/** Serves a built page, and passes every POST to the shop's server. */
async function servePage(folder: string, shop: string): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.method === "POST") {
      const answer = await fetch(shop + request.url, { method: "POST" });
      response.setHeader("content-type", "application/json");
      return response.end(await answer.text());
    }
    const file = request.url === "/" ? "/index.html" : (request.url ?? "");
    response.setHeader("content-type", file.endsWith(".js") ? "text/javascript" : "text/html");
    return response.end(readFileSync(join(folder, file)));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.for(["vue", "svelte"] as const)(
  "a shop with %s takes a payment",
  {
    timeout: PROJECT_TIMEOUT_MS,
  },
  async (framework, { browser, packed, service }) => {
    const shop = await startExpress(service);
    const built = await project(
      {
        ...filesOf(`${framework}.md`, service.url),
        "src/main.js": MAIN[framework],
        "vite.config.js": CONFIG[framework],
        "index.html":
          '<!doctype html><link rel="icon" href="data:,"><title>Shop</title><div id="app"></div><script type="module" src="/src/main.js"></script>',
      },
      [packed.js, ...PACKAGES[framework]],
    );
    await built.runNode("node_modules/vite/bin/vite.js", "build");
    const { page } = await openPage(browser);
    await page.goto(await servePage(join(built.folder, "dist"), shop));
    await typeCard(formIn(page), page, CARDS.approved);
    await page.getByRole("button", { name: "Pay" }).click();
    await page.getByText("Thank you!").waitFor();
    await page.context().close();
  },
);

test("the files for Next.js pass strict checks", { timeout: PROJECT_TIMEOUT_MS }, async ({ packed }) => {
  const options = { ...STRICT_PROJECT, types: ["node"] };
  const { runTool } = await project(
    { ...filesOf("next-js.md"), "tsconfig.json": JSON.stringify({ compilerOptions: options }) },
    [packed.react, "react@19", "@types/react@19", "@types/node@22", "standardwebhooks@1"],
  );
  await runTool("tsc", "-p", "tsconfig.json");
});
