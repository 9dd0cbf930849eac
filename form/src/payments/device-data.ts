// Device data (docs/calls.md#device-data): when it is collected, and what session it told. Whatever goes
// wrong, the charge goes on without one. How it is collected is loaded when it first is.

import type { Field } from "../card/field.ts";
import type { Caller } from "./charges.ts";

/** How many of the card number's first digits are told, as `Bin`. */
const BIN_LENGTH = 6;

export interface DeviceDataOptions {
  /** How long a collection may take, from asking for it to its message; null collects nothing. */
  readonly timeoutMs: number | null;
  /** Who asks; null when no client secret is to be had. */
  readonly caller: () => Promise<Caller | null>;
}

export interface DeviceData {
  /** Collects once for each number that is complete, as soon as it is. */
  readonly cardNumberIs: (field: Field) => void;
  /** Collects for what is typed now, because the parent wants it; again when that failed before. */
  readonly collectNow: (field: Field) => void;
  /** The session of the number that was collected for last, when that has ended; null without one. */
  readonly sessionId: () => Promise<string | null>;
}

/** Collects nothing until it is told of a number. */
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

/** Null too when the script of the collection does not arrive. */
async function collectWith(bin: string, caller: DeviceDataOptions["caller"], signal: AbortSignal) {
  try {
    const { collectDeviceData } = await import("./device-data-collection.ts");
    return await collectDeviceData(bin, caller, signal);
  } catch {
    return null;
  }
}
