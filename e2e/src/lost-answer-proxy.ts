// A proxy in front of the service that loses the answers to charges: the request arrives, but its answer does not.

import { type RunningProxy, startProxy } from "./proxy.ts";

export interface LostAnswerProxy extends RunningProxy {
  /** The number of answers that were lost so far. */
  readonly lost: () => number;
}

/** Forwards every request to `target`, and loses the answer to each POST of a direct charge. */
export async function startLostAnswerProxy(target: string): Promise<LostAnswerProxy> {
  let lost = 0;
  const proxy = await startProxy(
    () => target,
    () => {},
    ({ incoming, path }) => {
      if (incoming.method !== "POST" || !path.startsWith("/v1/pub/direct/charges")) {
        return undefined;
      }
      lost += 1;
      return "lose";
    },
  );
  return { ...proxy, lost: () => lost };
}
