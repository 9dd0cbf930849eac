// The SDK as Cardform serves it, one file at `/sdk/cardform.js`: it knows from its own address where the form is.

import { type Cardform, mount as mountAt } from "./mount.ts";
import type { MountOptions } from "./options.ts";

/** As `MountOptions`, but `url` may be left out: the form is then where this script came from. */
export type ServedMountOptions = Omit<MountOptions, "url"> & Partial<Pick<MountOptions, "url">>;

/** Shows the form of a charge inside `target`; see `mount` of `@cardform/js`. */
export function mount(target: string | Element, options: ServedMountOptions): Cardform {
  return mountAt(target, { url: new URL(import.meta.url).origin, ...options });
}
