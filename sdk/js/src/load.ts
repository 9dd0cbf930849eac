// The form on the page, as the scripts that are fetched when needed see it.

import type { FromParent } from "../../../form/generated/wire.ts";
import type { CardformEvents } from "./cardform.ts";
import type { Listeners } from "./listeners.ts";
import type { MountOptions, wireOptions } from "./options.ts";
import type { LoadFailureCode } from "./result.ts";

/** The events, and the form's answers that only the SDK hears. */
export interface HeardEvents extends CardformEvents {
  "page-changed": { readonly success: boolean };
}

/** A form on the page. */
export interface Load {
  readonly frame: HTMLIFrameElement;
  readonly url: URL;
  /** The options of now. */
  options: MountOptions;
  /** The background of the page behind the form, as it was last seen. */
  host: string;
  /** Posts a message to the form. */
  readonly post: (message: FromParent) => void;
  /** Writes options in the form's spelling; here, so that the script that mounts the form is one file. */
  readonly wireOptions: typeof wireOptions;
  readonly on: Listeners<HeardEvents>["on"];
  /** Whether the form can be used. */
  loaded?: boolean;
  /** The form may have sent a card: it was told to pay or had paid before, and has not said that the payment failed. */
  sent?: boolean;
  /** Ends the load with an error. */
  readonly fail: (code: LoadFailureCode) => void;
  /** Whether the load has ended: the form has loaded, has failed, or was removed. */
  over?: boolean;
  /** True after `unmount()`. */
  gone?: boolean;
  /** The second try: it waits for its pause to end, or its page was requested. */
  retry?: "waits" | "made" | undefined;
  /** Ends the load that the shopper asked for, if it takes too long. */
  again?: ReturnType<typeof setTimeout>;
  /** Removes the message that replaces the frame. */
  recover?: () => void;
  /** The last change; the next one waits for it. */
  changed?: Promise<boolean>;
  /** Messages that are posted again when the form loads again, by type. */
  said?: Map<string, FromParent>;
}
