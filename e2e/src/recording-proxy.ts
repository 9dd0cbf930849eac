// A proxy between browser and service that keeps everything that passes: what an access log or a tracing agent could keep.

import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordingProxy {
  /** Where it listens. */
  readonly url: string;
  /** Forwards every request to this address, under the proxy's own name. */
  readonly passOnTo: (target: string) => void;
  /** Every request so far: method, address, headers and body, as text. */
  readonly requests: () => readonly Recorded[];
  readonly stop: () => void;
}

export interface Recorded {
  readonly path: string;
  readonly body: string;
  /** All of it. */
  readonly text: string;
}

/** Listens; the target is set later, because the service has to know the proxy's address. */
export async function startRecordingProxy(): Promise<RecordingProxy> {
  let target = "";
  const kept: Recorded[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const { method, url: path = "/", headers } = incoming;
      kept.push({
        path,
        body: body.toString("latin1"),
        text: [method, path, ...incoming.rawHeaders, body.toString("latin1")].join("\n"),
      });
      const { hostname, port } = new URL(target);
      const onward = request({ hostname, port, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      });
      onward.on("error", () => outgoing.destroy());
      onward.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    passOnTo: (address) => {
      target = address;
    },
    requests: () => kept,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
