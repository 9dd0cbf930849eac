// A proxy between browser and service.

import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { buffer } from "node:stream/consumers";

export interface ProxiedRequest {
  readonly incoming: IncomingMessage;
  readonly path: string;
  readonly body: Buffer;
}

export interface RunningProxy {
  /** The address at which it listens. */
  readonly url: string;
  readonly stop: () => void;
}

/**
 * Starts a proxy that forwards every request to the address that `target` returns. `onRequest` gets each request before the
 * service, and `onAnswer` gets each answer before the browser. If `onAnswer` returns "lose", the browser gets no answer.
 */
export async function startProxy(
  target: () => string,
  onRequest: (request: ProxiedRequest) => void,
  onAnswer: (request: ProxiedRequest, answer: IncomingMessage) => "lose" | undefined = () => undefined,
): Promise<RunningProxy> {
  const server = createServer(async (incoming, outgoing) => {
    const { method, url: path = "/", headers } = incoming;
    const proxied = { incoming, path, body: await buffer(incoming) };
    onRequest(proxied);
    const forwarded = request(new URL(path, target()), { method, headers }, (answer) => {
      if (onAnswer(proxied, answer) === "lose") {
        answer.resume().once("end", () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    forwarded.end(proxied.body);
  });
  return {
    url: await listenLocally(server),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Starts the server on a free port of this machine, and returns its address. */
export async function listenLocally(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
