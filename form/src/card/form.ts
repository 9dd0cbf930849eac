// The form as one machine: the state of every field and of the submission, what happens, and what is to be done
// about it (specification, point 4). Pure: the time comes in with the event, the doing goes out as effects.

import type { ErrorId } from "../../generated/rules.ts";
import type {
  ChargeStatus,
  ErrorCode,
  FieldAction,
  FromForm,
  ShopperAction,
  ShopperCharge,
} from "../../generated/wire.ts";
import { type Brand, detectBrand } from "./brand.ts";
import type { Month } from "./expiry.ts";
import {
  FIELD_IDS,
  type Field,
  type FieldEvent,
  type FieldExperiments,
  type FieldName,
  READY,
  step,
} from "./field.ts";

/** What does not change while the form is open. */
export interface FormConfig {
  readonly experiments: FieldExperiments;
  /** The fields that are shown, in their order on the page (point 2). */
  readonly fields: readonly FieldName[];
  /** What hidden or prefilled fields hold from the start. */
  readonly prefill: Readonly<Partial<Record<FieldName, string>>>;
  /** The redesign's experiment (§9): the card number has a placeholder and can be cleared. */
  readonly redesign: boolean;
}

/** How far paying has come. */
export type Submission =
  /** Nothing was sent, or the last card was declined. */
  | { readonly phase: "open" }
  /** Pay was pressed, but the client secret must come first. */
  | { readonly phase: "awaiting-client-secret" }
  /** The card is with the server. */
  | { readonly phase: "charging"; readonly clientSecret: string }
  /** The server has the card, but not yet the outcome; nobody may pay again. */
  | {
      readonly phase: "settling";
      readonly status: ChargeStatus;
      readonly shopperAction: ShopperAction | null;
    }
  /** Nothing more can be done here: paid, canceled, expired, or opened by a link without a client secret. */
  | { readonly phase: "closed"; readonly status: ChargeStatus | "incomplete_link" };

/** Why the last try did not pay: a message key, and the code of it where the provider gave one. */
export interface Failure {
  readonly messageKey: FailureMessageKey;
  readonly declineCode: string | null;
}

export type FailureMessageKey =
  | "processing_error"
  | "use_another_card"
  | "check_security_code"
  | "check_expiry"
  | "insufficient_funds";

export interface FormState {
  readonly fields: Readonly<Record<FieldName, Field>>;
  /** Fields that have moved the focus on, so that they do it once until emptied or invalid (DESIGN.md §4). */
  readonly movedOn: Readonly<Partial<Record<FieldName, true>>>;
  readonly submission: Submission;
  readonly failure: Failure | null;
  /** What was last posted as readiness; null before the first post. */
  readonly postedReady: boolean | null;
  /** The way back to the merchant, once the server has told it. */
  readonly returnUrl: string | null;
}

/** What the server answered to a direct charge. */
export type ChargeAnswer =
  | { readonly kind: "taken"; readonly status: ChargeStatus; readonly shopperAction: ShopperAction | null }
  | { readonly kind: "declined"; readonly declineCode: string }
  | {
      readonly kind: "refused";
      readonly code: ErrorCode | null;
      readonly field?: string;
      readonly reason?: ErrorId;
    }
  | { readonly kind: "unanswered" };

export type FormEvent =
  /** The page is alive: say so to the parent. */
  | { readonly type: "loaded" }
  | { readonly type: "field"; readonly name: FieldName; readonly event: FieldEvent; readonly atEnd?: boolean }
  | { readonly type: "field-visible"; readonly name: FieldName }
  | { readonly type: "field-focused"; readonly name: FieldName }
  /** The parent, or the standalone page's button, wants to pay; null: the client secret must be asked for. */
  | { readonly type: "submit"; readonly clientSecret: string | null }
  /** The shopper tried to pay while the form was not ready. */
  | { readonly type: "submit-attempted" }
  /** The shopper pressed Enter in a form whose pay button is the parent's. */
  | { readonly type: "enter-pressed" }
  /** The standalone page was opened without a client secret. */
  | { readonly type: "link-incomplete" }
  | { readonly type: "client-secret"; readonly clientSecret: string }
  /** The client secret that was asked for did not come. */
  | { readonly type: "client-secret-missing" }
  | { readonly type: "charge-answered"; readonly answer: ChargeAnswer }
  /** A look at the charge found this. */
  | { readonly type: "charge-seen"; readonly charge: ShopperCharge };

export type Effect =
  | { readonly type: "post"; readonly message: FromForm }
  /** Tell the parent how it ended; the text is looked up where the language is known. */
  | { readonly type: "post-result"; readonly failure: Failure | null }
  | { readonly type: "request-client-secret" }
  | { readonly type: "focus"; readonly field: FieldName }
  | { readonly type: "charge"; readonly clientSecret: string }
  /** Ask the server where the charge stands until it is settled. */
  | { readonly type: "watch-charge" };

/** A state, and what is to be done on reaching it. */
export interface Step {
  readonly state: FormState;
  readonly effects: readonly Effect[];
}

/** The form before anything has happened. */
export function initialForm(config: FormConfig, today: Month): FormState {
  const empty: FormState = {
    fields: {
      cardNumber: READY,
      expiry: READY,
      security: READY,
      cardHolderName: READY,
      cardHolderEmail: READY,
    },
    movedOn: {},
    submission: { phase: "open" },
    failure: null,
    postedReady: null,
    returnUrl: null,
  };
  return Object.entries(config.prefill).reduce((state, [name, text]) => {
    const event: FieldEvent = { type: "typed", text };
    return withField(config, state, name as FieldName, event, today);
  }, empty);
}

/** The brand of the card number, which the security code's length depends on. */
export function brandOf(state: FormState): Brand | null {
  return detectBrand(state.fields.cardNumber.text);
}

/** Whether nothing may be changed now: a submission is under way, or the charge is over. */
export function isDisabled(state: FormState): boolean {
  return state.submission.phase !== "open";
}

/** Whether the form could be submitted now: every shown field complete and valid (point 4, "Form readiness"). */
export function isReady(config: FormConfig, state: FormState): boolean {
  return (
    !isDisabled(state) && config.fields.every((name) => state.fields[name].state === "CompletedAndValid")
  );
}

/** The machine: what `event` makes of `state`, and what is to be done. */
export function next(config: FormConfig, state: FormState, event: FormEvent, today: Month): Step {
  const reached = react(config, state, event, today);
  const ready = isReady(config, reached.state);
  if (reached.state.postedReady === ready || reached.state.postedReady === null) {
    return reached;
  }
  return {
    state: { ...reached.state, postedReady: ready },
    effects: [...reached.effects, { type: "post", message: { type: "form-ready-state", ready } }],
  };
}

function react(config: FormConfig, state: FormState, event: FormEvent, today: Month): Step {
  switch (event.type) {
    case "loaded":
      return loaded(config, state);
    case "field":
      return fieldChanged(config, state, event, today);
    case "field-visible":
      return { state, effects: [fieldAction("cardFormInputVisible", event.name)] };
    case "field-focused":
      return { state, effects: [fieldAction("cardFormInputFocused", event.name)] };
    case "submit":
      return isReady(config, state)
        ? submit(state, event.clientSecret)
        : showWhatIsMissing(config, state, today);
    case "submit-attempted":
      return showWhatIsMissing(config, state, today);
    case "enter-pressed":
      return isReady(config, state)
        ? { state, effects: [{ type: "post", message: { type: "submit-requested" } }] }
        : showWhatIsMissing(config, state, today);
    case "link-incomplete":
      return { state: { ...state, submission: { phase: "closed", status: "incomplete_link" } }, effects: [] };
    case "client-secret":
      return state.submission.phase === "awaiting-client-secret"
        ? submit(state, event.clientSecret)
        : stay(state);
    case "client-secret-missing":
      return state.submission.phase === "awaiting-client-secret"
        ? failed(state, { messageKey: "processing_error", declineCode: null })
        : stay(state);
    case "charge-answered":
      return state.submission.phase === "charging" ? answered(config, state, event.answer) : stay(state);
    case "charge-seen":
      return seen(config, { ...state, returnUrl: event.charge.return_url }, event.charge);
  }
}

function stay(state: FormState): Step {
  return { state, effects: [] };
}

function loaded(config: FormConfig, state: FormState): Step {
  const ready = isReady(config, state);
  return {
    state: { ...state, postedReady: ready },
    effects: [
      { type: "post", message: { type: "user-loaded" } },
      { type: "post", message: { type: "form-ready-state", ready } },
    ],
  };
}

function fieldChanged(
  config: FormConfig,
  before: FormState,
  { name, event, atEnd = false }: Extract<FormEvent, { type: "field" }>,
  today: Month,
): Step {
  if (isDisabled(before)) {
    return stay(before);
  }
  const state = withField(config, before, name, event, today);
  const effects: Effect[] = [];
  if (event.type === "typed" || event.type === "cleared") {
    effects.push(fieldAction("cardFormInputChanged", name));
  }
  if (event.type === "blurred") {
    effects.push(fieldAction("cardFormInputBlurred", name));
  }
  const { errorId } = state.fields[name];
  if (errorId !== null && errorId !== before.fields[name].errorId) {
    effects.push(fieldAction("cardFormInputError", name));
  }
  const following = atEnd ? fieldAfter(config, name) : null;
  if (following === null || !movesOn(before, state, name)) {
    return { state, effects };
  }
  return {
    state: { ...state, movedOn: { ...state.movedOn, [name]: true } },
    effects: [...effects, { type: "focus", field: following }],
  };
}

/** The state with `event` applied to one field, and to the security code where it depends on the card number. */
function withField(
  config: FormConfig,
  state: FormState,
  name: FieldName,
  event: FieldEvent,
  today: Month,
): FormState {
  const context = { experiments: config.experiments, today, brand: brandOf(state) };
  const field = step(name, state.fields[name], event, context);
  let fields = { ...state.fields, [name]: field };
  const brand = detectBrand(fields.cardNumber.text);
  if (name === "cardNumber" && brand !== context.brand) {
    const security = step("security", fields.security, { type: "brand-changed" }, { ...context, brand });
    fields = { ...fields, security };
  }
  const { [name]: _, ...others } = state.movedOn;
  const keepsMoved = field.text !== "" && field.state !== "ValidationError" && state.movedOn[name];
  return {
    ...state,
    fields,
    movedOn: keepsMoved ? state.movedOn : others,
    failure: clearsFailure(event, state),
  };
}

/** A failure message stays until the shopper changes something. */
function clearsFailure(event: FieldEvent, state: FormState): Failure | null {
  return event.type === "typed" || event.type === "cleared" ? null : state.failure;
}

/** Point 4: the focus moves on when one of these becomes complete and valid. */
function movesOn(before: FormState, after: FormState, name: FieldName): boolean {
  const moving = name === "cardNumber" || name === "expiry" || name === "security";
  return moving && after.fields[name].state === "CompletedAndValid" && !before.movedOn[name];
}

function fieldAfter(config: FormConfig, name: FieldName): FieldName | null {
  return config.fields[config.fields.indexOf(name) + 1] ?? null;
}

function submit(state: FormState, clientSecret: string | null): Step {
  if (clientSecret === null) {
    return {
      state: { ...state, submission: { phase: "awaiting-client-secret" }, failure: null },
      effects: [{ type: "request-client-secret" }],
    };
  }
  return {
    state: { ...state, submission: { phase: "charging", clientSecret }, failure: null },
    effects: [{ type: "charge", clientSecret }],
  };
}

/** Point 4, "Empty": what is missing or wrong shows it, and the first such field gets the focus. */
function showWhatIsMissing(config: FormConfig, before: FormState, today: Month): Step {
  if (isDisabled(before)) {
    return stay(before);
  }
  const attempted: FieldEvent = { type: "submit-attempted" };
  const state = config.fields.reduce((form, name) => withField(config, form, name, attempted, today), before);
  const wrong = config.fields.filter((name) => state.fields[name].state !== "CompletedAndValid");
  const errors = wrong.filter((name) => state.fields[name].errorId !== before.fields[name].errorId);
  const first = wrong[0];
  return {
    state,
    effects: [
      ...errors.map((name) => fieldAction("cardFormInputError", name)),
      ...(first === undefined ? [] : [{ type: "focus", field: first } as const]),
    ],
  };
}

function answered(config: FormConfig, state: FormState, answer: ChargeAnswer): Step {
  switch (answer.kind) {
    case "taken":
      return settled(config, state, answer.status, answer.shopperAction, null);
    case "declined":
      return declined(config, state, answer.declineCode);
    case "refused":
      return refused(config, state, answer);
    case "unanswered":
      return failed(state, { messageKey: "processing_error", declineCode: null });
  }
}

/** A look at the charge counts while its outcome is awaited, and before anything was sent (a page opened again). */
function seen(config: FormConfig, state: FormState, charge: ShopperCharge): Step {
  const { phase } = state.submission;
  const payable = charge.status === "created" || charge.status === "failed";
  const counts = phase === "settling" || (phase === "open" && !payable);
  return counts ? settled(config, state, charge.status, null, charge.decline_code) : stay(state);
}

function settled(
  config: FormConfig,
  state: FormState,
  status: ChargeStatus,
  shopperAction: ShopperAction | null,
  declineCode: string | null,
): Step {
  switch (status) {
    case "succeeded":
      return {
        state: { ...state, submission: { phase: "closed", status }, failure: null },
        effects: [{ type: "post-result", failure: null }],
      };
    case "created":
    case "failed":
      return declined(config, state, declineCode ?? "processing_error");
    case "canceled":
    case "expired": {
      const failure: Failure = { messageKey: "processing_error", declineCode: null };
      return {
        state: { ...state, submission: { phase: "closed", status }, failure: null },
        effects: [{ type: "post-result", failure }],
      };
    }
    case "processing":
    case "outcome_unknown":
    case "waiting_for_shopper_action": {
      const { submission } = state;
      if (submission.phase === "settling" && submission.status === status) {
        return stay(state);
      }
      const alreadyWatching = submission.phase === "settling";
      return {
        state: { ...state, submission: { phase: "settling", status, shopperAction } },
        effects: [
          { type: "post", message: { type: "charge-changed", status, shopper_action: shopperAction } },
          ...(alreadyWatching ? [] : [{ type: "watch-charge" } as const]),
        ],
      };
    }
  }
}

/** What a decline asks the shopper to do, and the field it is about; the card number is kept (DESIGN.md §5). */
const DECLINES: Readonly<
  Record<string, { messageKey: FailureMessageKey; field?: FieldName; errorId?: ErrorId }>
> = {
  generic_decline: { messageKey: "use_another_card" },
  insufficient_funds: { messageKey: "insufficient_funds" },
  expired_card: { messageKey: "check_expiry", field: "expiry", errorId: "CardExpiry_Expired" },
  incorrect_cvc: {
    messageKey: "check_security_code",
    field: "security",
    errorId: "CardSecurityCode_IncompleteSecurityCode",
  },
};

function declined(config: FormConfig, state: FormState, declineCode: string): Step {
  const { messageKey = "processing_error", field, errorId } = DECLINES[declineCode] ?? {};
  const step = failed(state, { messageKey, declineCode });
  return field && errorId ? withFieldError(config, step, field, errorId) : step;
}

const REQUEST_FIELDS: Readonly<Record<string, FieldName>> = {
  "payment_method.card.number": "cardNumber",
  "payment_method.card.expiration_month": "expiry",
  "payment_method.card.expiration_year": "expiry",
  "payment_method.card.security_code": "security",
  "payment_method.card.holder_name": "cardHolderName",
  "payment_method.shopper.email": "cardHolderEmail",
};

/** The server's rules refused what the page's let through, as when the shopper's clock is wrong. */
function refused(
  config: FormConfig,
  state: FormState,
  answer: Extract<ChargeAnswer, { kind: "refused" }>,
): Step {
  const step = failed(state, { messageKey: "processing_error", declineCode: null });
  const field = answer.field === undefined ? undefined : REQUEST_FIELDS[answer.field];
  return field && answer.reason ? withFieldError(config, step, field, answer.reason) : step;
}

function withFieldError(
  config: FormConfig,
  { state, effects }: Step,
  name: FieldName,
  errorId: ErrorId,
): Step {
  if (!config.fields.includes(name)) {
    return { state, effects };
  }
  const field: Field = { ...state.fields[name], state: "ValidationError", errorId };
  return {
    state: { ...state, fields: { ...state.fields, [name]: field } },
    effects: [...effects, fieldAction("cardFormInputError", name), { type: "focus", field: name }],
  };
}

/** Not paid: the form is open again and says why (point 4, "Submission"). */
function failed(state: FormState, failure: Failure): Step {
  return {
    state: { ...state, submission: { phase: "open" }, failure },
    effects: [{ type: "post-result", failure }],
  };
}

function fieldAction(action: FieldAction, name: FieldName): Effect {
  return { type: "post", message: { type: "field-action", action, field: FIELD_IDS[name] } };
}
