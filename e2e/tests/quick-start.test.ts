// The quick start, followed word by word: the test reads files and commands from the served page, and executes them in an
// empty folder. Only the two ports are others, because those of the page may be taken on this machine.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { BINARY, ENVIRONMENT } from "../src/service.ts";
import { formIn, typeCard } from "../src/shopper.ts";
import { test as base } from "../src/test.ts";

/** Long enough for debug binaries on a busy machine. */
const START_TIMEOUT_MS = 60_000;

const PAGE_CARDFORM = "127.0.0.1:8080";
const PAGE_SHOP = "127.0.0.1:3000";

/** Ports that the system gives to a program only if the program asks for them. */
const PORTS = { from: 20_000, to: 30_000 };

/** A free port that no connection of another program gets meanwhile. */
async function freePort(): Promise<string> {
  const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return isFree ? String(port) : freePort();
}

/** Terminals whose programs end with the test. */
class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), "cardform-quick-start-"));
  readonly #terminals: ChildProcess[] = [];

  constructor() {
    mkdirSync(join(this.folder, "bin"));
    mkdirSync(join(this.folder, "home"));
    symlinkSync(BINARY, join(this.folder, "bin/cardform"));
  }

  /** The developer's home, where each terminal begins. */
  get home(): string {
    return join(this.folder, "home");
  }

  /** Types a block into a new terminal. Returns its output when it matches `until`, or when it has ended. */
  run(block: string, until: RegExp): Promise<string> {
    const terminal = spawn("bash", ["-e", "-c", block], {
      cwd: this.home,
      env: { ...ENVIRONMENT, PATH: `${join(this.folder, "bin")}:${process.env.PATH}` },
      stdio: ["ignore", "pipe", "pipe"],
      // The programs of a terminal are a group, which ends as a whole.
      detached: true,
    });
    this.#terminals.push(terminal);
    let output = "";
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`waited for ${until}:\n${output}`)), START_TIMEOUT_MS);
      const hear = (text: string) => {
        output += text;
        if (until.test(output)) {
          clearTimeout(timer);
          resolve(output);
        }
      };
      terminal.stdout.setEncoding("utf8").on("data", hear);
      terminal.stderr.setEncoding("utf8").on("data", hear);
      terminal.once("close", (code) => {
        clearTimeout(timer);
        reject(new Error(`the terminal ended with ${code} before ${until}:\n${output}`));
      });
    });
  }

  leave(): void {
    for (const { pid, exitCode } of this.#terminals) {
      if (pid !== undefined && exitCode === null) {
        process.kill(-pid, "SIGKILL");
      }
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures a test uses.
const test = base.extend("desk", { scope: "file" }, ({}, { onCleanup }) => {
  const desk = new Desk();
  onCleanup(() => desk.leave());
  return desk;
});

test("the quick start leads from an empty folder to a paid order", { timeout: 180_000 }, async ({
  browser,
  desk,
  service,
}) => {
  const docs = await openPage(browser);
  await docs.page.goto(`${service.url}/docs/quick-start`);
  const figures = await docs.page.$$eval("figure.code", (figures) =>
    figures.map((figure) => ({
      file: figure.getAttribute("data-file"),
      terminal: figure.getAttribute("data-terminal"),
      code: figure.querySelector("code")?.textContent ?? "",
    })),
  );
  // As it is shown, a line of the source may end anywhere.
  const text = ((await docs.page.locator("article").textContent()) ?? "").replaceAll(/\s+/g, " ");
  const shop = `127.0.0.1:${await freePort()}`;
  let cardform = "127.0.0.1:0";
  const here = (block: string) =>
    block
      .replaceAll(PAGE_CARDFORM, cardform)
      .replaceAll(PAGE_SHOP, shop)
      .replaceAll(PAGE_SHOP.replace("127.0.0.1:", "PORT="), shop.replace("127.0.0.1:", "PORT="));
  const terminal = (number: string) =>
    here(figures.find((figure) => figure.terminal === number)?.code ?? "exit 1");
  expect(figures.every(({ file, terminal }) => file !== null || terminal !== null)).toBe(true);

  const started = await desk.run(terminal("1"), /listening on http.*\n/);
  cardform = started.match(/listening on http:\/\/(\S+)/)?.[1] ?? "";
  for (const { file, code } of figures) {
    if (file !== null) {
      writeFileSync(join(desk.home, "my-shop", file), code);
    }
  }
  await desk.run(terminal("2"), /listening on http/);

  const { page } = await openPage(browser);
  await page.goto(here(`http://${PAGE_SHOP}`));
  const [, number = "", month = "", year = "", code = ""] =
    text.match(/number ([\d ]{19}), the date (\d\d) \/ (\d\d) and the security code (\d{3})/) ?? [];
  await typeCard(formIn(page), page, number.replaceAll(" ", ""), month + year, code);
  await page.getByRole("button", { name: "Pay" }).click();
  await page.getByText("Thank you!").waitFor();
  expect(await page.getByRole("button", { name: "Pay" }).isDisabled()).toBe(true);

  // The webhook may come a moment after the page's answer.
  await expect
    .poll(() => desk.run(terminal("3"), /"status":"[a-z_]+"/).catch(String), { timeout: START_TIMEOUT_MS })
    .toContain('"status":"succeeded"');
});
