// Links that name a dynamic environment (docs/calls.md#dynamic-environments). The page sends the card to the environment's
// service on port 8092, but only if the host has the suffix that the operator set.

import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";
import type { Browser } from "playwright-core";
import { expect } from "vitest";

import type { DirectCharge } from "../../form/generated/wire.ts";
import { openPage } from "../src/browser.ts";
import { paymentPage } from "../src/form-page.ts";
import type { Service } from "../src/service.ts";
import { CARDS, typeCard } from "../src/shopper.ts";
import { test as base, serviceWith } from "../src/test.ts";

/** The port of every dynamic environment. */
const PORT = 8092;
/** Browsers resolve every name that ends in `.localhost` to this machine. */
const SUFFIX = "env.localhost";
const HOST = `feature-1.${SUFFIX}`;

/** A request that the dynamic environment received. */
interface EnvironmentRequest {
  readonly path: string;
  readonly host: string | undefined;
  /** True when the request has a bearer token. */
  readonly authorized: boolean;
  readonly body: string;
}

const test = base
  .extend("service", { scope: "file" }, serviceWith("--dynamic-environment-suffix", SUFFIX))
  /** The requests that the environment received since the test began. */
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures a test uses.
  .extend("requests", async ({}, { onCleanup }) => {
    const requests: EnvironmentRequest[] = [];
    const environment: Server = createServer(async (request, response) => {
      response.setHeader("access-control-allow-origin", request.headers.origin ?? "");
      response.setHeader(
        "access-control-allow-headers",
        "authorization, content-type, cookie-id, idempotency-key, partner-id",
      );
      if (request.method === "OPTIONS") {
        response.writeHead(204).end();
        return;
      }
      requests.push(await readRequest(request));
      const isCharge = request.url === "/direct/charges";
      const isLink = request.url?.endsWith("/client-secret");
      // The claims of a link name the merchant and the charge, as those of a client secret.
      const link = { client_secret: request.headers.authorization?.replace("Bearer ", "") };
      response
        .writeHead(isCharge || isLink ? 201 : 404, { "content-type": "application/json" })
        .end(
          isCharge ? '{"status_code":"succeeded","shopper_action":null}' : JSON.stringify(isLink ? link : {}),
        );
    });
    await new Promise<void>((resolve) => environment.listen(PORT, "127.0.0.1", resolve));
    onCleanup(async () => {
      environment.closeAllConnections();
      await new Promise((resolve) => environment.close(resolve));
    });
    return requests;
  });

async function readRequest(request: IncomingMessage): Promise<EnvironmentRequest> {
  return {
    path: request.url ?? "",
    host: request.headers.host,
    authorized: (request.headers.authorization ?? "").startsWith("Bearer "),
    body: await text(request),
  };
}

/** Pays on the payment page of a link that names `origin`. */
async function pay(service: Service, browser: Browser, origin: string) {
  const url = new URL(await paymentPage(service));
  url.searchParams.set("origin", origin);
  const { page, pageErrors } = await openPage(browser);
  await page.goto(url.href);
  await page.waitForFunction(() => window.cardformVersion !== undefined);
  await typeCard(page, page, CARDS.approved);
  await page.click("#pay");
  await page.waitForSelector("#outcome[data-status=succeeded]");
  // The page asks for the charge's return address a few times. The next test has an environment of its own.
  await page.context().close();
  return pageErrors;
}

test("the page calls the environment's service, not ours", async ({ service, browser, requests }) => {
  expect(await pay(service, browser, HOST)).toEqual([]);
  const charges = requests.filter(({ path }) => path === "/direct/charges");
  expect(charges).toHaveLength(1);
  expect(charges[0]).toMatchObject({ host: `${HOST}:${PORT}`, authorized: true });
  const { payment_method } = JSON.parse(charges[0]?.body ?? "") as DirectCharge;
  expect(payment_method.type).toBe("card");
  // Every other call goes to the environment, too, with its usual path.
  expect(requests.some(({ path }) => path.startsWith("/v1/pub/charges/"))).toBe(true);
  expect(await service.ledger()).toEqual([]);
});

test.for(["evil.localhost", `evil${SUFFIX}`, SUFFIX, `a@${HOST}`, `${HOST}:80`])(
  "%s is not an environment, so the page calls our service",
  async (origin, { service, browser, requests }) => {
    const paid = (await service.ledger()).length;
    expect(await pay(service, browser, origin)).toEqual([]);
    expect(requests).toEqual([]);
    expect(await service.ledger()).toHaveLength(paid + 1);
  },
);
