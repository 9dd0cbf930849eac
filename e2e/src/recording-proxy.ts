// A proxy between browser and service that records every request, as an access log or a tracing agent could.

import { type RunningProxy, startProxy } from "./proxy.ts";

export interface RecordingProxy extends RunningProxy {
  /** Sets the address to which requests are forwarded. Their `host` header stays the proxy's. */
  readonly forwardTo: (target: string) => void;
  /** Every request so far. */
  readonly requests: () => readonly RecordedRequest[];
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
  const proxy = await startProxy(
    () => target,
    ({ incoming: { method, rawHeaders }, path, body: bytes }) => {
      const body = bytes.toString("latin1");
      requests.push({ path, body, text: [method, path, ...rawHeaders, body].join("\n") });
    },
  );
  return {
    ...proxy,
    forwardTo: (address) => {
      target = address;
    },
    requests: () => requests,
  };
}
