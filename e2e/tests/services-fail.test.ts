// All services that a payment does not need fail at the same time, in each way in which services fail, and the shopper can
// still pay.

import { createServer, type Server, type Socket } from "node:net";
import type { Route } from "playwright-core";
import { expect } from "vitest";

import { openPage } from "../src/browser.ts";
import { payAndAdvanceClock } from "../src/clock.ts";
import { paymentPage } from "../src/form-page.ts";
import { startService } from "../src/service.ts";
import { CARDS, typeCard } from "../src/shopper.ts";
import { test } from "../src/test.ts";

/** Starts a server that calls `onConnect` with each connection. It takes the place of all other services. */
async function startBrokenServer(onConnect: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    onConnect(socket);
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

/** An HTTP response that no client expects. */
const GARBAGE =
  "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 9\r\n\r\n<\u0000{]\u0001>\r\n\n";

test.for([
  {
    how: "are down",
    onConnect: (socket: Socket) => void socket.resetAndDestroy(),
    deviceData: (route: Route) => route.abort(),
  },
  {
    how: "never answer",
    onConnect: () => {},
    deviceData: () => {},
  },
  {
    how: "answer garbage",
    onConnect: (socket: Socket) => void socket.once("data", () => socket.end(GARBAGE)),
    deviceData: (route: Route) => route.fulfill({ status: 200, body: "<{]>" }),
  },
])("a shopper pays when all other services $how", async ({ onConnect, deviceData }, { browser }) => {
  const broken = await startBrokenServer(onConnect);
  const url = `http://127.0.0.1:${broken.port}`;
  const service = await startService(
    ...["--features-url", `${url}/features.json`],
    ...["--event-sink", "kafka", "--kafka-brokers", `127.0.0.1:${broken.port}`],
    ...["--fraud-script-url", `${url}/{site_id}/script.js`, "--fraud-script-origins", url],
    ...["--ip-lookup-url", `${url}/ip`],
    ...["--otlp-endpoint", url],
  );
  try {
    const { page, pageErrors } = await openPage(browser);
    await page.route("**/v1/pub/device-data/**", deviceData);
    await page.route("**/topics/**", deviceData);
    await page.clock.install();
    await page.goto(await paymentPage(service, { site_id: "site-1" }));
    await typeCard(page, page, CARDS.approved);
    const sent = await payAndAdvanceClock(page);
    const { shopper_agent } = sent.postDataJSON();
    expect([shopper_agent.fraud_metadata.fraud_token, shopper_agent.ip_address]).toEqual(["", ""]);
    await page.waitForSelector("#outcome[data-status=succeeded]");
    expect(await service.ledger()).toHaveLength(1);
    // The browser itself logs errors about the other services' answers. Our page must have no error of its own.
    const ownErrors = pageErrors
      .splice(0)
      .filter(
        (pageError) =>
          !/blocked by CORS policy|site-1\/script\.js|^thrown: Unexpected token '<'$/.test(pageError),
      );
    expect(ownErrors).toEqual([]);
  } finally {
    await service.stop();
    await broken.stop();
  }
});
