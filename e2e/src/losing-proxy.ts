// A real proxy before the service that loses answers: the request arrives, the answer does not.

import { request as ask, createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface LosingProxy {
  readonly url: string;
  /** How many answers it has lost so far. */
  readonly lost: () => number;
  readonly stop: () => Promise<void>;
}

/** Passes everything on to `target`, and loses every answer to a POST of the direct charge. */
export async function startLosingProxy(target: string): Promise<LosingProxy> {
  let lost = 0;
  const server: Server = createServer((incoming, outgoing) => {
    const { method, url = "/", headers } = incoming;
    const isCharge = method === "POST" && url.startsWith("/v1/pub/direct/charges");
    const passed = ask(new URL(url, target), { method, headers }, (answer) => {
      if (isCharge) {
        // The answer is complete before it is lost, so the card has been charged.
        answer.resume().once("end", () => {
          lost += 1;
          outgoing.destroy();
        });
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    lost: () => lost,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
