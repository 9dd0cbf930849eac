// A Cardform as an operator runs it: `cardform serve` with https of its own, and a merchant who named the shop's origin.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { BINARY, ENVIRONMENT, firstLine } from "./service.ts";

export interface SecureService {
  /** Where it listens: `https://localhost:PORT`. */
  readonly url: string;
  /** The file with the certificate, which nobody else trusts. */
  readonly certificate: string;
  /** The query of the payment page of a charge. */
  readonly query: string;
  readonly stop: () => Promise<void>;
}

/** Starts `cardform serve` on SQLite, with a charge that can be paid. Its provider is never asked. */
export async function startSecureService(): Promise<SecureService> {
  const folder = mkdtempSync(join(tmpdir(), "cardform-e2e-"));
  const [certificate, key] = makeCertificate(folder);
  const database = ["--database", `sqlite:${join(folder, "cardform.db")}`];
  const provider = [
    ...["--provider-url", "http://127.0.0.1:9"],
    ...["--provider-public-url", "https://provider.example"],
  ];
  const url = "https://localhost";
  const run = (...args: string[]) =>
    JSON.parse(
      execFileSync(BINARY, ["--json", ...args, ...database, ...provider, "--public-url", url], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      }),
    ) as Record<string, string>;
  run("migrate");
  const merchant = run("merchant", "add", "--name", "Shop", "--allowed-origin", "https://shop.example");
  const charge = run(
    ...["charge", "create", "--partner-id", merchant.partner_id ?? ""],
    ...["--item-code", "gems-100", "--item-name", "100 gems", "--amount-value", "12.50"],
    ...["--amount-currency", "USD", "--partner-reference", "order-1"],
  );
  const tls = ["--tls-certificate", certificate, "--tls-key", key, "--public-url", url];
  const child = spawn(
    BINARY,
    ["serve", "--json", "--listen", "127.0.0.1:0", ...database, ...provider, ...tls],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: ENVIRONMENT,
    },
  );
  const { listening } = JSON.parse(await firstLine(child)) as Record<string, string>;
  return {
    url: `${url}:${new URL(listening ?? "").port}`,
    certificate,
    query: new URL(charge.url ?? "").search,
    stop: async () => {
      await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A certificate for `localhost`, and its key. */
function makeCertificate(folder: string): readonly [string, string] {
  const [certificate, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  execFileSync(
    "openssl",
    [
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
      ],
      ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
      ...["-out", certificate, "-keyout", key],
    ],
    { stdio: "ignore" },
  );
  return [certificate, key];
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exit;
}
