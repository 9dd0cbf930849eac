// A proxy in front of the service that loses the answers to charges: the request arrives, but its answer does not.

import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface LostAnswerProxy {
  readonly url: string;
  /** The number of answers that were lost so far. */
  readonly lost: () => number;
  readonly stop: () => Promise<void>;
}

/** Forwards every request to `target`, and loses the answer to each POST of a direct charge. */
export async function startLostAnswerProxy(target: string): Promise<LostAnswerProxy> {
  let lost = 0;
  const server: Server = createServer((incoming, outgoing) => {
    const { method, url = "/", headers } = incoming;
    const isCharge = method === "POST" && url.startsWith("/v1/pub/direct/charges");
    const forwarded = request(new URL(url, target), { method, headers }, (answer) => {
      if (isCharge) {
        // The connection is closed after the whole answer has come, so the card has been charged.
        answer.resume().once("end", () => {
          lost += 1;
          outgoing.destroy();
        });
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
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
