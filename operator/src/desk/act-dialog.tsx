// The dialog of an act: amount, reason, a sentence that says what will happen, and then the result.

import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type {
  ChargeView,
  ErrorCode,
  OperatorAct,
  OperatorActRequest,
  OperatorStory,
  RefundSummary,
  WebhookInStory,
} from "../../../form/generated/wire.ts";
import { brandName } from "../names.ts";
import { callJson, errorText, type ServiceError } from "../service.ts";
import { amountText, fractionDigits, readAmount } from "./amounts.ts";
import { OPERATION_STATUSES } from "./status.tsx";

/** An act that the person has chosen. */
export interface PlannedAct {
  readonly act: OperatorAct;
  /** The event that is sent again. */
  readonly event?: WebhookInStory;
}

interface ActDialogProps {
  readonly operatorKey: string;
  readonly story: OperatorStory;
  readonly planned: PlannedAct;
  /** The charge may have changed. */
  readonly onChanged: () => Promise<void>;
  readonly onClose: () => void;
}

interface ActTexts {
  readonly title: string;
  /** The button's name; with an ellipsis that of the button that opens the dialog. */
  readonly confirm: string;
  readonly working: string;
  readonly done: (sum: string) => string;
}

/** The acts, in the order in which the charge's page offers them. */
export const ACT_TEXTS: Readonly<Record<OperatorAct, ActTexts>> = {
  refund: {
    title: "Refund",
    confirm: "Refund",
    working: "Refunding…",
    done: (sum) => `${sum} went back to the card.`,
  },
  capture: { title: "Capture", confirm: "Capture", working: "Capturing…", done: (sum) => `${sum} captured.` },
  release: {
    title: "Release the hold",
    confirm: "Release",
    working: "Releasing…",
    done: () => "The hold is released.",
  },
  cancel: {
    title: "Cancel the charge",
    confirm: "Cancel charge",
    working: "Canceling…",
    done: () => "The charge is canceled.",
  },
  resend: {
    title: "Resend the event",
    confirm: "Resend",
    working: "Sending…",
    done: () => "The event is on its way again.",
  },
};

type ActStep =
  | { readonly name: "asking"; readonly error: ServiceError | null }
  | { readonly name: "working" }
  | { readonly name: "done"; readonly text: string; readonly isGood: boolean };

export function ActDialog({ operatorKey, story, planned, onChanged, onClose }: ActDialogProps) {
  // The charge as it was when the dialog was opened, so that a refresh does not change the question.
  const [asked] = useState(story);
  const { act } = planned;
  const left = leftFor(act, asked);
  const [typed, setTyped] = useState(left ?? "");
  const [reason, setReason] = useState("");
  const [isChecked, setChecked] = useState(false);
  const [step, setStep] = useState<ActStep>({ name: "asking", error: null });
  // Inputs and buttons are not `disabled` then, because that would take the focus away.
  const isWorking = step.name === "working";
  // One key for each question, so that a repeated request moves no money twice. A change is another question, unless the
  // request may have arrived already.
  const path = pathOf(planned, asked);
  const [hasArrived] = useState(() => isMade(unsettled.get(path), act, story) && unsettled.delete(path));
  const idempotencyKey = useRef(unsettled.get(path)?.key ?? newKey());
  const dialog = useRef<HTMLDialogElement>(null);
  const ids = { title: useId(), amount: useId(), reason: useId(), trouble: useId() };

  useEffect(() => {
    // The dialog gives the focus back to the button that opened it, because the browser remembers it.
    dialog.current?.showModal();
  }, []);

  const amount = left === null ? null : readAmount(typed, left);
  const amountProblem = isChecked ? amount?.problem : null;
  const isReasonMissing = reason.trim() === "";
  const saysReasonMissing = isChecked && isReasonMissing;
  const texts = ACT_TEXTS[act];

  const submit = async (submitted: FormEvent) => {
    submitted.preventDefault();
    if (isWorking) {
      return;
    }
    setChecked(true);
    if (amount?.problem || isReasonMissing) {
      dialog.current
        ?.querySelector<HTMLElement>(amount?.problem ? "[name=amount]" : "[name=reason]")
        ?.focus();
      return;
    }
    setStep({ name: "working" });
    const body: OperatorActRequest = {
      reason: reason.trim(),
      ...(amount?.amount && { amount_value: amount.amount }),
    };
    const { value, error } = await callJson<ActAnswer>(operatorKey, path, {
      body,
      idempotencyKey: idempotencyKey.current,
    });
    const sum = amountText(amount?.amount ?? "", asked.charge.amount_currency);
    const result = value === null ? null : resultOf(act, value, sum);
    // Another server's answer is none of the service.
    const trouble = error ?? (result === null ? ({ kind: "unreachable" } as const) : null);
    if (trouble === null || isConflict(trouble)) {
      unsettled.delete(path);
    } else if (mayHaveArrived(trouble) && act !== "resend") {
      const { known, sent } = unsettled.get(path) ?? { known: story.operations.length, sent: [] };
      unsettled.set(path, { key: idempotencyKey.current, known, sent: [...sent, body] });
    } else if (!unsettled.has(path)) {
      idempotencyKey.current = newKey();
    }
    setStep(result === null ? { name: "asking", error: trouble } : { name: "done", ...result });
    await onChanged();
  };
  const isSettled = !unsettled.has(path) && (step.name !== "asking" || !isConflict(step.error));
  const changed = (set: (value: string) => void) => (input: { currentTarget: { value: string } }) => {
    if (isSettled) {
      idempotencyKey.current = newKey();
    }
    set(input.currentTarget.value);
  };

  return (
    <dialog
      ref={dialog}
      className="act"
      aria-labelledby={ids.title}
      // A second Escape cannot be prevented.
      onClose={() => (isWorking ? dialog.current?.showModal() : onClose())}
      onCancel={(canceled) => isWorking && canceled.preventDefault()}
    >
      <form onSubmit={submit} noValidate>
        <h2 id={ids.title}>{texts.title}</h2>
        {step.name === "done" ? (
          <>
            <p className="result" role="status" data-good={step.isGood}>
              {step.text}
            </p>
            <div className="act-end">
              {/* biome-ignore lint/a11y/noAutofocus: the button that had the focus has gone */}
              <button type="button" className="primary" autoFocus onClick={() => dialog.current?.close()}>
                Close
              </button>
            </div>
          </>
        ) : (
          <>
            {left !== null && (
              <div className="act-field">
                <label htmlFor={ids.amount}>Amount</label>
                <div className="amount-field">
                  <input
                    id={ids.amount}
                    name="amount"
                    inputMode={fractionDigits(left) === 0 ? "numeric" : "decimal"}
                    autoComplete="off"
                    value={typed}
                    onChange={changed(setTyped)}
                    onFocus={(focused) => focused.currentTarget.select()}
                    readOnly={isWorking}
                    aria-invalid={Boolean(amountProblem)}
                    aria-describedby={`${ids.amount}-hint`}
                  />
                  <span>{asked.charge.amount_currency}</span>
                </div>
                <p id={`${ids.amount}-hint`} className={amountProblem ? "small bad" : "small soft"}>
                  {amountProblem ?? leftText(act, left, asked)}
                </p>
              </div>
            )}
            <div className="act-field">
              <label htmlFor={ids.reason}>Reason</label>
              <textarea
                id={ids.reason}
                name="reason"
                rows={2}
                maxLength={255}
                value={reason}
                onChange={changed(setReason)}
                onKeyDown={(pressed) => {
                  if (pressed.key === "Enter" && !pressed.shiftKey) {
                    pressed.preventDefault();
                    pressed.currentTarget.form?.requestSubmit();
                  }
                }}
                readOnly={isWorking}
                aria-required="true"
                aria-invalid={saysReasonMissing}
                aria-describedby={`${ids.reason}-hint`}
              />
              <p id={`${ids.reason}-hint`} className={saysReasonMissing ? "small bad" : "small soft"}>
                {saysReasonMissing
                  ? "Say why. The audit log keeps it."
                  : "The audit log keeps it, with your name."}
              </p>
            </div>
            <p className="question">{questionOf(planned, asked, amount?.amount ?? null)}</p>
            <p className="bad" role="alert" id={ids.trouble}>
              {step.name === "asking" && step.error !== null
                ? troubleText(step.error)
                : hasArrived && ARRIVED_TEXT}
            </p>
            <div className="act-end">
              <button
                type="button"
                onClick={() => isWorking || dialog.current?.close()}
                aria-disabled={isWorking}
              >
                Back
              </button>
              <button type="submit" className="primary" aria-disabled={isWorking}>
                {isWorking ? texts.working : texts.confirm}
              </button>
            </div>
          </>
        )}
      </form>
    </dialog>
  );
}

/** 32 hexadecimal digits. `crypto.randomUUID` exists only on https. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The most that the act can move; null for an act without an amount. */
function leftFor(act: OperatorAct, { charge, amount_refundable }: OperatorStory): string | null {
  switch (act) {
    case "refund":
      return amount_refundable;
    case "capture": {
      // Merchants write 12.5 and 12.50; another sum of the charge has all digits.
      const digits = fractionDigits(charge.amount_refunded);
      const [whole = "", fraction = ""] = charge.amount_capturable.split(".");
      return digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, "0")}`;
    }
    default:
      return null;
  }
}

function leftText(act: OperatorAct, left: string, { charge }: OperatorStory): string {
  const sum = amountText(left, charge.amount_currency);
  return act === "refund"
    ? `${sum} can be given back.`
    : `${sum} is held. What you do not capture is released.`;
}

function pathOf({ act, event }: PlannedAct, { charge }: OperatorStory): string {
  if (act === "resend") {
    return `events/${encodeURIComponent(event?.id ?? "")}/resend`;
  }
  const last = { refund: "refunds", capture: "capture", release: "cancel", cancel: "cancel" }[act];
  return `charges/${encodeURIComponent(charge.id)}/${last}`;
}

/** What will happen, in one sentence. */
function questionOf({ act, event }: PlannedAct, { charge }: OperatorStory, amount: string | null): string {
  const card = charge.paid_with;
  const cardText = card === null ? "the card" : `${brandName(card.brand)} ${card.last_four}`;
  const sum = amount === null ? "…" : amountText(amount, charge.amount_currency);
  const reference = charge.partner_reference;
  switch (act) {
    case "refund":
      return `Refund ${sum} of ${reference} to ${cardText}?`;
    case "capture":
      return `Capture ${sum} of ${reference} from ${cardText}?`;
    case "release":
      return `Release the hold of ${amountText(charge.amount_capturable, charge.amount_currency)} on ${cardText}? No money is taken.`;
    case "cancel":
      return `Cancel ${reference}? Nobody can pay it afterwards.`;
    case "resend":
      return `Send ${event?.kind ?? "the event"} of ${reference} to the merchant again?`;
  }
}

/** A refund, the charge, or the event. */
type ActAnswer = Partial<RefundSummary | ChargeView>;

/** What the service's answer says; null if it is not the service's. */
function resultOf(act: OperatorAct, { id, status }: ActAnswer, sum: string) {
  if (typeof id !== "string" || (act === "refund" && !(String(status) in OPERATION_STATUSES))) {
    return null;
  }
  const isDone = act === "refund" ? status === "succeeded" : status !== "authorized";
  if (isDone) {
    return { text: ACT_TEXTS[act].done(sum), isGood: true };
  }
  return status === "failed"
    ? { text: `The provider did not refund ${sum}. No money moved.`, isGood: false }
    : { text: `${ACT_TEXTS[act].title}: under way. The page shows the result.`, isGood: true };
}

const TROUBLES: Partial<Record<ErrorCode, string>> = {
  charge_not_refundable: "This charge cannot be refunded any more.",
  charge_not_capturable: "This charge holds no money any more.",
  capture_expired: "The hold has ended, so the money cannot be captured.",
  operation_in_progress: "A capture or a release is under way. Wait for its result.",
  not_supported_by_provider: "The payment provider cannot do this.",
  charge_not_cancelable: "This charge is paid or has ended, or a card is with the provider at this moment.",
  idempotency_conflict: "This request was sent before with other values. Close the dialog and begin again.",
  operator_forbidden: "Your key may not do this.",
  unavailable: "The service cannot do this now. Try again in a moment.",
};

/** Requests with one key that may have arrived although the service's answer did not. */
interface Unsettled {
  readonly key: string;
  /** How many operations the charge had before. */
  readonly known: number;
  readonly sent: readonly OperatorActRequest[];
}

/**
 * The unsettled requests by path. Another server's refusal of a repeated request, or a dialog that is closed, does not make
 * a new key. A resend moves no money, so it is not here.
 */
const unsettled = new Map<string, Unsettled>();

const ARRIVED_TEXT = "Your last request arrived. Confirm only if the money is to move once more.";

/** Whether the charge has an operation of one of the requests. Its key would get the old answer, so it is not used again. */
function isMade(request: Unsettled | undefined, act: OperatorAct, { operations }: OperatorStory): boolean {
  return operations
    .slice(request?.known)
    .some(
      ({ kind, amount_value, reason }) =>
        kind === act &&
        request?.sent.some(
          (sent) => sent.reason === reason && (sent.amount_value ?? amount_value) === amount_value,
        ),
    );
}

/** Whether the service may have done what was asked: the answer is lost, or another server's. */
const mayHaveArrived = (error: ServiceError): boolean =>
  error.kind === "unreachable" || (error.kind === "refused" && error.status >= 500);

/** Whether the request has arrived before, with other values. */
const isConflict = (error: ServiceError | null): boolean =>
  error?.kind === "refused" && error.code === "idempotency_conflict";

function troubleText(error: ServiceError): string {
  const known = error.kind === "refused" && error.code !== null ? TROUBLES[error.code] : undefined;
  if (known !== undefined || !mayHaveArrived(error)) {
    return known ?? errorText(error);
  }
  const what = error.kind === "refused" ? `The service failed (status ${error.status}).` : "No answer came.";
  return `${what} The request may have arrived: try again, which moves no money twice, or look at the charge.`;
}
