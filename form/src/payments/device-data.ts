// Device data (docs/calls.md#device-data): decides when to collect it and keeps the session id. If anything fails, the charge
// is sent without it. The script that collects is loaded when it is first needed.

import type { Field } from "../card/field.ts";
import type { Caller } from "./charges.ts";

/** How many of the card number's first digits are sent as `Bin`. */
const BIN_LENGTH = 6;

/** The caller; null if there is no client secret. */
type FindCaller = () => Promise<Caller | null>;

export type DeviceData = ReturnType<typeof createDeviceData>;

/** Collects nothing until it is given a card number. A collection takes at most `timeoutMs`; with null there is none. */
export function createDeviceData(timeoutMs: number | null, caller: FindCaller) {
  let bin = "";
  let session: Promise<string | null> = Promise.resolve(null);

  function collect(wanted: string): void {
    if (timeoutMs !== null && wanted.length === BIN_LENGTH) {
      bin = wanted;
      session = collectWith(wanted, caller, AbortSignal.timeout(timeoutMs));
    }
  }

  return {
    /** Collects once for each complete card number. */
    cardNumberIs: ({ text, state }: Field) => {
      const wanted = binOf(text);
      if (state === "CompletedAndValid" && wanted !== bin) {
        collect(wanted);
      }
    },
    /** Collects now, because the parent asks for it; again if it failed before. */
    collectNow: ({ text }: Field) => {
      const wanted = binOf(text);
      const before = session;
      if (wanted !== bin) {
        collect(wanted);
      } else {
        void before.then((id) => id === null && session === before && collect(wanted));
      }
    },
    /** The session id of the last collection when it has ended; null if there is none. */
    sessionId: () => session,
  };
}

function binOf(text: string): string {
  return text.replaceAll(" ", "").slice(0, BIN_LENGTH);
}

/** Also null if the script that collects does not load, or not before `signal` aborts. */
function collectWith(bin: string, caller: FindCaller, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const none = () => resolve(null);
    signal.addEventListener("abort", none);
    import("./device-data-collection.ts")
      .then((script) => script.collectDeviceData(bin, caller, signal))
      .then(resolve, none);
  });
}
