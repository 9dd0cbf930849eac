// The SDK that Cardform serves at `/sdk/cardform.js`. It takes the form's address from its own.

import type { Cardform } from "./cardform.ts";
import { mount as mountAt } from "./mount.ts";
import type { MountOptions } from "./options.ts";

/** Like `MountOptions`, but `url` may be absent: then the form is at the origin of this script. */
export type ServedMountOptions = Omit<MountOptions, "url"> & Partial<Pick<MountOptions, "url">>;

/** Shows the form of a charge inside `target`; see `mount` of `@cardform/js`. */
export function mount(target: string | Element, options: ServedMountOptions): Cardform {
  return mountAt(target, { url: new URL(import.meta.url).origin, ...options });
}
