// The types of a form on the page: its methods, and its events.

import type { FieldId } from "../../../form/generated/rules.ts";
import type { ChargeStatus, FieldAction, FieldSummary, ShopperAction } from "../../../form/generated/wire.ts";
import type { CustomStyle } from "./custom-style.ts";
import type { Unsubscribe } from "./listeners.ts";
import type { CardformOptions, MountOptions } from "./options.ts";
import type { CardformError, SubmitResult } from "./result.ts";

/** The events and their details. */
export interface CardformEvents {
  /** The form can be used. */
  load: undefined;
  /** Whether the form could be submitted now has changed. */
  "ready-change": { readonly ready: boolean };
  /** The charge waits for the shopper or for the provider. */
  "charge-change": { readonly status: ChargeStatus; readonly shopperAction: ShopperAction | null };
  /**
   * How a payment ended, or that the form was not ready, as the form tells it. It also comes after `submit()` has resolved with
   * `processing`. A result that the SDK makes itself, such as after `unmount()`, is only that of `submit()`.
   */
  result: SubmitResult;
  /** The shopper pressed Enter in a form that is ready; call `submit()` as your pay button does. */
  "submit-request": undefined;
  /** Something happened at a field (`card-number`); never what was typed. */
  "field-action": { readonly action: FieldAction; readonly field: string };
  /** The form's height in CSS pixels; the frame follows by itself. */
  resize: { readonly height: number };
  /** The form's content has changed. The detail has no typed text. */
  change: FormContent;
  /** An error that the shopper cannot correct. */
  error: CardformError;
}

/** The form's content, without its texts. */
export interface FormContent {
  /** The card's brand: `visa`. Empty while it is not known. */
  readonly brand: string;
  /** Whether every field is complete and valid. */
  readonly complete: boolean;
  /** Whether nothing is filled in. */
  readonly empty: boolean;
  /** The errors that are shown: ids of fields (`card-number`), and of errors. */
  readonly errors: Readonly<Record<string, string>>;
  /** The fields that the form asks for, by their ids. */
  readonly fields: Readonly<Record<string, FieldSummary>>;
}

/** The changes of `update`; absent parts stay. */
export interface FormUpdate {
  /** These options; the others stay. */
  readonly options?: CardformOptions;
  /** The whole look. */
  readonly customStyle?: CustomStyle;
  readonly locale?: string;
  /** Whether the shopper can use the form. */
  readonly disabled?: boolean;
}

/** A form on the page. */
export interface Cardform {
  /** Whether the form could be submitted now. */
  readonly ready: boolean;
  /** Pays. Never rejects. While a payment is under way it returns the same promise. */
  submit(): Promise<SubmitResult>;
  /** Calls `listener` at each such event until the returned function is called. */
  on<Name extends keyof CardformEvents>(
    name: Name,
    listener: (detail: CardformEvents[Name]) => void,
  ): Unsubscribe;
  /** Changes the form's language: `fr-FR`. */
  setLocale(locale: string): Promise<boolean>;
  /** Changes options, look or language in place: nothing typed is lost. False if the form could not change options or look. */
  update(changes: FormUpdate): Promise<boolean>;
  /**
   * Shows the charge as it is after `POST /v1/charges/{id}`: nothing typed is lost. The form asks `clientSecret` for a new
   * client secret; pass one here if yours is no function. False if the form could not change.
   */
  refresh(charge?: Partial<Pick<MountOptions, "payload" | "clientSecret">>): Promise<boolean>;
  /** Moves the focus to a field, once the form has loaded. False if it could not be loaded, or was removed. */
  focus(field?: FieldId): Promise<boolean>;
  /** Empties the fields. Prefilled texts come back. False as with `focus`. */
  clear(): Promise<boolean>;
  /** Removes the form. A payment that was already sent resolves with `outcome_unknown`. */
  unmount(): void;
}
