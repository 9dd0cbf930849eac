// Starts Cardform for tests: the real binary in demo mode, with its data in a new folder.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import type { ChargeView, CreateCharge, CreatedCharge } from "../../form/generated/wire.ts";

/** The binary under test. */
export const BINARY = process.env.CARDFORM_BIN ?? join(import.meta.dirname, "../../target/debug/cardform");
/** Long enough for a debug binary on a busy machine. A start usually takes less than a second. */
const START_TIMEOUT_MS = 30_000;
/** Gives the server enough time to render a page on a busy machine. Many tests need that. */
export const ENVIRONMENT = { ...process.env, CARDFORM_RENDER_TIME_MS: "10000" };

/** An entry of the simulator's ledger. */
export interface LedgerEntry {
  readonly idempotency_key: string;
  readonly charge_id: string;
  readonly amount_value: string;
  readonly amount_currency: string;
  readonly outcome: string;
  readonly at: string;
}

export interface Service {
  /** The address at which it listens: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The demo shop's address. */
  readonly shop: string;
  /** The address of the operator's page. */
  readonly operator: string;
  /** The key that opens the operator's page. */
  readonly operatorKey: string;
  /** The secret key of `merchant`, and its id. */
  readonly secretKey: string;
  readonly partnerId: string;
  /** The API of a merchant whose form may be embedded in any page. */
  readonly merchant: Merchant;
  /** Adds another merchant with `cardform merchant add` and these arguments. */
  readonly addMerchant: (...args: string[]) => AddedMerchant;
  /** The simulated provider's ledger. */
  readonly ledger: () => Promise<LedgerEntry[]>;
  /** The policy violations that browsers reported, as lines of the metrics. */
  readonly policyViolations: () => Promise<string[]>;
  /** What the service has logged so far. */
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

export interface Merchant {
  readonly createCharge: (charge?: Partial<CreateCharge>) => Promise<CreatedCharge>;
  readonly charge: (id: string) => Promise<ChargeView>;
  readonly cancel: (id: string) => Promise<void>;
  /** Changes item, amount or currency of a charge that is not being paid. */
  readonly changeCharge: (id: string, terms: Partial<CreateCharge>) => Promise<CreatedCharge>;
  readonly freshClientSecret: (id: string) => Promise<string>;
}

/** A merchant whom `addMerchant` has added. */
export interface AddedMerchant extends Merchant {
  readonly partnerId: string;
}

/** Starts `cardform demo`. `args` are added to its arguments. */
export async function startService(...args: string[]): Promise<Service> {
  const data = mkdtempSync(join(tmpdir(), "cardform-e2e-"));
  const { ready, log, stop } = await launch(data, "demo", "--data", data, ...args);
  const { listening: url, secret_key, partner_id, shop, operator, operator_key: operatorKey } = ready;
  if (!url || !secret_key || !partner_id || !shop || !operator || !operatorKey) {
    throw new Error(`the service's first line lacks something: ${JSON.stringify(ready)}`);
  }
  return {
    url,
    shop,
    operator,
    operatorKey,
    secretKey: secret_key,
    partnerId: partner_id,
    merchant: merchantOf(url, secret_key),
    addMerchant: (...args) => {
      const database = ["--database", `sqlite:${join(data, "cardform.db")}`];
      const added = runCommand("merchant", "add", ...args, ...database, "--provider-url", `${url}/simulator`);
      return { partnerId: added.partner_id ?? "", ...merchantOf(url, added.secret_key ?? "") };
    },
    ledger: () => callService("GET", `${url}/simulator/ledger`),
    policyViolations: async () => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return metrics.split("\n").filter((line) => line.startsWith("cardform_csp_violations_total{"));
    },
    log,
    stop,
  };
}

interface RunningCommand {
  /** The JSON that it printed when it was ready. */
  readonly ready: Readonly<Record<string, string>>;
  /** What it has logged so far. */
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

/** Starts a command of the binary that listens on a free port. `stop` also removes `folder`, which has the command's data. */
export async function launch(folder: string, ...args: readonly string[]): Promise<RunningCommand> {
  const child = spawn(BINARY, ["--json", ...args, "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: ENVIRONMENT,
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  return {
    ready: JSON.parse(await firstLine(child)),
    log: () => log,
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a command of the binary prints as JSON. */
export function runCommand(...args: readonly string[]): Record<string, string> {
  const stdio = ["ignore", "pipe", "inherit"] as ["ignore", "pipe", "inherit"];
  return JSON.parse(execFileSync(BINARY, ["--json", ...args], { encoding: "utf8", stdio }));
}

/** The line that a command prints when it is ready. Its log is read meanwhile, because a full pipe would stop it. */
export async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null || child.stderr === null) {
    throw new Error("the service has no standard output or error");
  }
  const lines = createInterface({ input: child.stdout });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the service did not start:\n${log}`)), START_TIMEOUT_MS);
    lines.once("line", (line) => {
      clearTimeout(timer);
      resolve(line);
    });
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}:\n${log}`)));
    child.once("error", reject);
  });
}

function merchantOf(url: string, secretKey: string): Merchant {
  const call = <T>(method: string, path: string, body?: object) =>
    callService<T>(method, `${url}/v1/charges${path}`, body, { authorization: `Bearer ${secretKey}` });
  return {
    createCharge: (charge = {}) =>
      call("POST", "", {
        item_code: "gems-100",
        item_name: "100 gems",
        amount_value: "12.50",
        amount_currency: "USD",
        partner_reference: "order-1",
        ...charge,
      }),
    charge: (id) => call("GET", `/${id}`),
    cancel: (id) => call("POST", `/${id}/cancel`),
    changeCharge: (id, terms) => call("POST", `/${id}`, terms),
    freshClientSecret: async (id) => {
      const fresh = await call<{ client_secret: string }>("POST", `/${id}/client-secret`);
      return fresh.client_secret;
    },
  };
}

/** Calls the service with a JSON body, and returns the JSON of the answer. Throws if the answer is an error. */
export async function callService<T>(
  method: string,
  url: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<T> {
  const json = body && {
    body: JSON.stringify(body),
    headers: { ...headers, "content-type": "application/json" },
  };
  const response = await fetch(url, { method, headers, ...json });
  if (!response.ok) {
    throw new Error(`${method} ${url} was answered with ${response.status}: ${await response.text()}`);
  }
  return (await response.json()) as T;
}
