// The merchants' SDK: shows Cardform in a frame on the merchant's page.

export type { FieldId } from "../../../form/generated/rules.ts";
export type {
  ChargeStatus,
  FieldAction,
  FieldSummary,
  ShopperAction,
} from "../../../form/generated/wire.ts";
export type { Cardform, CardformEvents, FormContent, FormUpdate } from "./cardform.ts";
export type {
  CardFormStyle,
  CheckboxStyle,
  CustomStyle,
  FontFace,
  PartStyle,
  PayButtonStyle,
  PlaceholderPartStyle,
} from "./custom-style.ts";
export type { Unsubscribe } from "./listeners.ts";
export { mount } from "./mount.ts";
export type { CardformOptions, ClientSecret, MountOptions } from "./options.ts";
export type { Challenge, ChallengeEnd } from "./own-challenge.ts";
export type {
  CardformError,
  CardformErrorCode,
  LoadFailureCode,
  RefusalCode,
  SubmitErrorCode,
  SubmitResult,
} from "./result.ts";
