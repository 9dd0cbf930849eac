// Device data (docs/calls.md#device-data): decides when to collect it and keeps the session id. If anything fails the charge
// goes on without it. The script that collects is loaded when it is first needed.

import type { Field } from "../card/field.ts";
import type { Caller } from "./charges.ts";

/** How many of the card number's first digits are sent as `Bin`. */
const BIN_LENGTH = 6;

export interface DeviceDataOptions {
  /** How long a collection may take in all; with null nothing is collected. */
  readonly timeoutMs: number | null;
  /** The caller; null if there is no client secret. */
  readonly caller: () => Promise<Caller | null>;
}

export interface DeviceData {
  /** Collects once for each complete card number. */
  readonly cardNumberIs: (field: Field) => void;
  /** Collects now, because the parent asks for it; again if it failed before. */
  readonly collectNow: (field: Field) => void;
  /** The session id of the last collection when it has ended; null if there is none. */
  readonly sessionId: () => Promise<string | null>;
}

/** Collects nothing until it is given a card number. */
export function createDeviceData({ timeoutMs, caller }: DeviceDataOptions): DeviceData {
  let bin = "";
  let session: Promise<string | null> = Promise.resolve(null);

  function collect(wanted: string): void {
    if (timeoutMs !== null && wanted.length === BIN_LENGTH) {
      bin = wanted;
      session = collectWith(wanted, caller, AbortSignal.timeout(timeoutMs));
    }
  }

  return {
    cardNumberIs: (field) => {
      const wanted = binOf(field.text);
      if (field.state === "CompletedAndValid" && wanted !== bin) {
        collect(wanted);
      }
    },
    collectNow: ({ text }) => {
      const wanted = binOf(text);
      const before = session;
      if (wanted !== bin) {
        collect(wanted);
      } else {
        void before.then((id) => id === null && session === before && collect(wanted));
      }
    },
    sessionId: () => session,
  };
}

function binOf(text: string): string {
  return text.replaceAll(" ", "").slice(0, BIN_LENGTH);
}

/** Also null if the script that collects does not load. */
async function collectWith(bin: string, caller: DeviceDataOptions["caller"], signal: AbortSignal) {
  try {
    const { collectDeviceData } = await import("./device-data-collection.ts");
    return await collectDeviceData(bin, caller, signal);
  } catch {
    return null;
  }
}
