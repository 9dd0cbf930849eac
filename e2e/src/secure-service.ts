// Starts Cardform as an operator does: `cardform serve` with https, and one merchant with an allowed origin.

import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { launch, runCommand } from "./service.ts";

export interface SecureService {
  /** The address at which it listens: `https://localhost:PORT`. */
  readonly url: string;
  /** The file with the self-signed certificate, which browsers do not trust. */
  readonly certificate: string;
  /** The query of a charge's payment page. */
  readonly query: string;
  readonly stop: () => Promise<void>;
}

/** Starts `cardform serve` with SQLite and makes a charge. There is no provider, so the charge cannot be paid. */
export async function startSecureService(): Promise<SecureService> {
  const folder = mkdtempSync(join(tmpdir(), "cardform-e2e-"));
  const [certificate, key] = makeCertificate(folder);
  const database = ["--database", `sqlite:${join(folder, "cardform.db")}`];
  const provider = [
    ...["--provider-url", "http://127.0.0.1:9"],
    ...["--provider-public-url", "https://provider.example"],
  ];
  const url = "https://localhost";
  const run = (...args: string[]) => runCommand(...args, ...database, ...provider, "--public-url", url);
  run("migrate");
  const merchant = run("merchant", "add", "--name", "Shop", "--allowed-origin", "https://shop.example");
  const charge = run(
    ...["charge", "create", "--partner-id", merchant.partner_id ?? ""],
    ...["--item-code", "gems-100", "--item-name", "100 gems", "--amount-value", "12.50"],
    ...["--amount-currency", "USD", "--partner-reference", "order-1"],
  );
  const tls = ["--tls-certificate", certificate, "--tls-key", key, "--public-url", url];
  const { ready, stop } = await launch(folder, "serve", ...database, ...provider, ...tls);
  return {
    url: `${url}:${new URL(ready.listening ?? "").port}`,
    certificate,
    query: new URL(charge.url ?? "").search,
    stop,
  };
}

/** Makes a certificate for `localhost` and returns the files of the certificate and of its key. */
function makeCertificate(folder: string): readonly [string, string] {
  const [certificate, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-nodes", "-days", "2"],
      ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
      ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
      ...["-out", certificate, "-keyout", key],
    ],
    { stdio: "ignore" },
  );
  return [certificate, key];
}
