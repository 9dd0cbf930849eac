// Every service that a payment does not need fails at once, in each way services fail, and the shopper pays.

import { createServer, type Server, type Socket } from "node:net";
import type { Route } from "playwright-core";
import { expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { paymentPage } from "../src/form-page.ts";
import { startService } from "../src/service.ts";
import { CARDS, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

/** How long a charge waits for the fraud prevention's token, and for device data at most. */
const LONGEST_WAIT_MS = 15_000;

/** What stands where others should be: a port, and what it does to who connects. */
async function startOthers(welcome: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    welcome(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new Error("the port has no number");
  }
  return {
    port: address.port,
    stop: () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page that is none of what anybody asked for. */
const GARBAGE =
  "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 9\r\n\r\n<\u0000{]\u0001>\r\n\n";

test.for([
  {
    how: "are down",
    welcome: (socket: Socket) => void socket.resetAndDestroy(),
    deviceData: (route: Route) => route.abort(),
  },
  {
    how: "never answer",
    welcome: () => {},
    deviceData: () => {},
  },
  {
    how: "answer garbage",
    welcome: (socket: Socket) => void socket.once("data", () => socket.end(GARBAGE)),
    deviceData: (route: Route) => route.fulfill({ status: 200, body: "<{]>" }),
  },
])("a shopper pays when all other services $how", async ({ welcome, deviceData }, { browser }) => {
  const others = await startOthers(welcome);
  const at = `http://127.0.0.1:${others.port}`;
  const service = await startService(
    ...["--features-url", `${at}/features.json`],
    ...["--event-sink", "kafka", "--kafka-brokers", `127.0.0.1:${others.port}`],
    ...["--fraud-script-url", `${at}/{site_id}/script.js`, "--fraud-script-origins", at],
    ...["--ip-lookup-url", `${at}/ip`],
    ...["--otlp-endpoint", at],
  );
  try {
    const { page, pageErrors } = await openPage(browser);
    await page.route("**/v1/pub/device-data/**", deviceData);
    await page.route("**/topics/**", deviceData);
    // So that the test can move the page's time.
    await page.clock.install();
    await page.goto(await paymentPage(service, { site_id: "site-1" }));
    await typeCard(page, page, CARDS.approved);
    const sent = page.waitForRequest((request) => request.url().endsWith("/v1/pub/direct/charges"));
    await page.click("#pay");
    await page.clock.fastForward(LONGEST_WAIT_MS);
    const { shopper_agent } = (await sent).postDataJSON();
    expect([shopper_agent.fraud_metadata.fraud_token, shopper_agent.ip_address]).toEqual(["", ""]);
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await service.ledger()).toHaveLength(1);
    // What browsers say themselves of others' answers and of their script; nothing of ours.
    const said = pageErrors
      .splice(0)
      .filter(
        (pageError) =>
          !/blocked by CORS policy|site-1\/script\.js|^thrown: Unexpected token '<'$/.test(pageError),
      );
    expect(said).toEqual([]);
  } finally {
    await service.stop();
    await others.stop();
  }
});
