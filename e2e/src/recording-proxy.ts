// A proxy between browser and service that records every request, as an access log or a tracing agent could.

import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordingProxy {
  /** The address at which it listens. */
  readonly url: string;
  /** Sets the address to which requests are forwarded. Their `host` header stays the proxy's. */
  readonly forwardTo: (target: string) => void;
  /** Every request so far. */
  readonly requests: () => readonly RecordedRequest[];
  readonly stop: () => void;
}

export interface RecordedRequest {
  readonly path: string;
  readonly body: string;
  /** Method, path, headers and body in one text. */
  readonly text: string;
}

/** Starts the proxy. Its target is set later, because the service needs the proxy's address to start. */
export async function startRecordingProxy(): Promise<RecordingProxy> {
  let target = "";
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const { method, url: path = "/", headers } = incoming;
      requests.push({
        path,
        body: body.toString("latin1"),
        text: [method, path, ...incoming.rawHeaders, body.toString("latin1")].join("\n"),
      });
      const { hostname, port } = new URL(target);
      const forwarded = request({ hostname, port, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      });
      forwarded.on("error", () => outgoing.destroy());
      forwarded.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    forwardTo: (address) => {
      target = address;
    },
    requests: () => requests,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
