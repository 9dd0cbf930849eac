// What the form is compared with in `waiting.ts`: a form that a script draws, and the same form in Nuxt.

import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface Peer {
  readonly url: string;
  readonly stop: () => void;
}

const SCRIPT_BYTES = 100_000;
const DOCUMENT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Card</title><body><script src="/form.js"></script></body></html>';
/** Draws one input, formats it, and tells the parent. */
const DRAWING = `
  const input = document.createElement("input");
  input.id = "card-number";
  input.addEventListener("input", () => {
    input.value = input.value.replace(/\\D/g, "").replace(/(.{4})(?=.)/g, "$1 ");
  });
  document.body.append(input);
  parent.postMessage({ type: "form-ready-state", ready: false }, "*");
`;

/**
 * A form that a script of 100 KB on the wire draws. Most of the script is text that cannot be compressed and need not be
 * compiled, so it runs sooner than a real one would.
 */
export async function startScriptThatDraws(): Promise<Peer> {
  const weight = randomBytes(SCRIPT_BYTES)
    .toString("base64")
    .slice(0, SCRIPT_BYTES - DRAWING.length - 8);
  const script = `/* ${weight} */${DRAWING}`;
  const server = createServer(({ url }, response) => {
    const [type, body] = url === "/form.js" ? ["text/javascript", script] : ["text/html", DOCUMENT];
    response.setHeader("content-type", type).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

const NUXT = join(import.meta.dirname, "nuxt");
const LISTENING = /Listening on (http:\/\/\S+?)\/?\s/;

/** The form in `nuxt/`, which is installed and built first. Its packages are no packages of the product. */
export async function startNuxt(): Promise<Peer> {
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, {
      cwd: NUXT,
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, NUXT_TELEMETRY_DISABLED: "1" },
    });
  if (!existsSync(join(NUXT, "node_modules"))) {
    // Without a lock file: Nuxt's version is pinned, its packages are those that npm finds today.
    run(
      "npm",
      "install",
      "--no-package-lock",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
    );
  }
  run("npx", "nuxt", "build");
  const child = spawn("node", [".output/server/index.mjs"], {
    cwd: NUXT,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, HOST: "127.0.0.1", PORT: "0" },
  });
  const url = await new Promise<string>((resolve, reject) => {
    let log = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      const address = LISTENING.exec(log)?.[1];
      if (address !== undefined) {
        resolve(address);
      }
    });
    child.once("exit", (code) => reject(new Error(`Nuxt's server ended with ${code}: ${log}`)));
  });
  return { url, stop: () => child.kill() };
}
