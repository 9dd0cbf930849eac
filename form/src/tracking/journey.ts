// Turns the steps of the form machine into the product's own analytics events, without anything that was typed.

import type { EventValue } from "../../generated/wire.ts";
import { FIELD_IDS } from "../card/field.ts";
import { brandOf, type ChargeAnswer, type FormField, type FormState } from "../card/form.ts";
import type { FormStep } from "../form-store.ts";

/** An event of the product's own analytics; docs/tracking.md lists them. */
export interface JourneyEvent {
  readonly name: string;
  /** Only words and numbers of our own. */
  readonly data: Readonly<Record<string, EventValue>>;
}

export interface Journey {
  /** The events of a step. */
  readonly events: (step: FormStep) => readonly JourneyEvent[];
  /** The event of a shopper who leaves the page in this state. */
  readonly left: (state: FormState) => JourneyEvent;
}

/** A journey without any step. */
export function createJourney(): Journey {
  /** The fields whose input was reported since they last got the focus. */
  const reported = new Set<FormField>();
  let lastFocused: FormField | null = null;

  return {
    events: (step) => [
      ...fieldEvents(step),
      ...errorEvents(step),
      ...savedCardEvents(step),
      ...submissionEvents(step),
    ],
    left: ({ postedReady, submission }) => ({
      name: "page_left",
      data: {
        field: lastFocused === null ? "" : fieldId(lastFocused),
        ready: postedReady === true,
        phase: submission.phase,
      },
    }),
  };

  function fieldEvents({ event, before, after }: FormStep): readonly JourneyEvent[] {
    switch (event.type) {
      case "loaded":
        return [{ name: "form_ready", data: {} }];
      case "field-focused":
        lastFocused = event.name;
        reported.delete(event.name);
        return [{ name: "field_focus", data: { field: fieldId(event.name) } }];
      case "field":
        return event.event.type === "blurred"
          ? [
              {
                name: "field_blur",
                data: { field: fieldId(event.name), state: after.fields[event.name].state },
              },
            ]
          : inputEvents(event.name, before, after);
      default:
        return [];
    }
  }

  function inputEvents(name: FormField, before: FormState, after: FormState): readonly JourneyEvent[] {
    const brand = brandOf(after);
    const isInput = before.fields[name].text !== after.fields[name].text && !reported.has(name);
    if (isInput) {
      reported.add(name);
    }
    return [
      ...(isInput ? [{ name: "field_input", data: { field: fieldId(name) } }] : []),
      ...(brand !== null && brand !== brandOf(before)
        ? [{ name: "brand_detected", data: { brand: brand.name } }]
        : []),
    ];
  }
}

/** Each new error. */
function errorEvents({ before, after }: FormStep): readonly JourneyEvent[] {
  return (Object.keys(after.fields) as FormField[]).flatMap((name) => {
    const { errorId } = after.fields[name];
    return errorId === null || errorId === before.fields[name].errorId
      ? []
      : [{ name: "field_error", data: { field: fieldId(name), error_id: errorId } }];
  });
}

function savedCardEvents({ event, before, after }: FormStep): readonly JourneyEvent[] {
  const { trouble } = after.saved;
  const troubles: readonly JourneyEvent[] =
    trouble === null || trouble === before.saved.trouble
      ? []
      : [{ name: "saved_cards_error", data: { trouble } }];
  return [...troubles, ...choices({ event, before, after })];
}

/** The shopper's choices about saved cards, and the server's answers. */
function choices({ event, before, after }: Omit<FormStep, "at">): readonly JourneyEvent[] {
  const isChanged = before !== after;
  switch (event.type) {
    case "saved-cards-answered":
      return isChanged && event.cards !== null
        ? [{ name: "saved_cards_loaded", data: { count: event.cards.length } }]
        : [];
    case "saved-card-selected":
    case "method-chosen":
      return [
        ...(after.saved.selected !== null && after.saved.selected !== before.saved.selected
          ? [{ name: "saved_card_selected", data: {} }]
          : []),
        ...(after.method === "new" && before.method === "saved"
          ? [{ name: "new_card_chosen", data: {} }]
          : []),
      ];
    case "removal-asked":
      return isChanged ? [{ name: "saved_card_remove_asked", data: {} }] : [];
    case "removal-answered":
      return isChanged && event.removed ? [{ name: "saved_card_removed", data: {} }] : [];
    case "save-card-chosen":
      return [{ name: "save_card_toggled", data: { saves: event.saves } }];
    default:
      return [];
  }
}

function submissionEvents({ event, before, after }: FormStep): readonly JourneyEvent[] {
  const was = before.submission;
  const is = after.submission;
  const events: JourneyEvent[] = [];
  if (was.phase === "open" && (is.phase === "awaiting-client-secret" || is.phase === "charging")) {
    events.push({
      name: "submit_invoked",
      data: { method: after.method === "saved" ? "saved_card" : "new_card" },
    });
  }
  const isUnderWay = was.phase !== "open" && was.phase !== "closed";
  if (isUnderWay && is.phase === "closed" && is.status === "succeeded") {
    events.push({ name: "submit_success", data: {} });
  } else if (isUnderWay && (is.phase === "open" || is.phase === "closed")) {
    const declineCode = after.failure?.declineCode;
    events.push({
      name: "submit_fail",
      data: { status: failureOf(event), ...(declineCode ? { decline_code: declineCode } : {}) },
    });
  }
  const isShown = (submission: FormState["submission"]) =>
    submission.phase === "settling" && submission.shopperAction !== null;
  if (isShown(is) && !isShown(was)) {
    events.push({ name: "challenge_shown", data: {} });
  }
  if (event.type === "challenge-closed" && isShown(was)) {
    events.push({ name: "challenge_closed", data: {} });
  }
  return events;
}

/** Why the payment failed: the charge's status, or the error from the server or the parent. */
function failureOf(event: FormStep["event"]): string {
  switch (event.type) {
    case "charge-answered":
      return answerOf(event.answer);
    case "charge-seen":
      return event.charge.status;
    case "client-secret-missing":
      return "client_secret_missing";
    default:
      return "failed";
  }
}

function answerOf(answer: ChargeAnswer): string {
  switch (answer.kind) {
    case "taken":
      return answer.status;
    case "declined":
      return "failed";
    case "refused":
      return answer.code;
    case "unanswered":
    case "unsent":
      return answer.kind;
  }
}

/** A field's id. It does not say which saved card. */
function fieldId(name: FormField): string {
  return name === "savedSecurity" ? "saved-card-security-code" : FIELD_IDS[name];
}
