// Turns the steps of the form machine into the product's own analytics events, without anything that was typed.

import type { EventValue } from "../../generated/wire.ts";
import { FIELD_IDS } from "../card/field.ts";
import { brandOf, type ChargeAnswer, type FormField, type FormState, isPaid } from "../card/form.ts";
import type { FormStep } from "../form-store.ts";

/** An event of the product's own analytics; docs/tracking.md lists them. */
export interface JourneyEvent {
  readonly name: string;
  /** Only words and numbers of our own. */
  readonly data: Readonly<Record<string, EventValue>>;
}

/** Adds an event. */
type Tell = (name: string, data?: JourneyEvent["data"]) => void;

/** A journey without any step. */
export function createJourney() {
  /** The fields whose input was reported since they last got the focus. */
  const reported = new Set<FormField>();
  let lastFocused: FormField | null = null;

  return {
    events: (step: FormStep): readonly JourneyEvent[] => {
      const events: JourneyEvent[] = [];
      const tell: Tell = (name, data = {}) => events.push({ name, data });
      tellOfField(step, tell);
      tellOfErrors(step, tell);
      tellOfSavedCards(step, tell);
      tellOfSubmission(step, tell);
      return events;
    },
    /** The event of a shopper who leaves the page in this state. */
    left: ({ postedReady, submission }: FormState): JourneyEvent => ({
      name: "page_left",
      data: {
        field: lastFocused === null ? "" : fieldId(lastFocused),
        ready: postedReady === true,
        phase: submission.phase,
      },
    }),
  };

  function tellOfField({ event, before, after }: FormStep, tell: Tell): void {
    if (event.type === "loaded") {
      tell("form_ready");
    } else if (event.type === "field-focused") {
      lastFocused = event.name;
      reported.delete(event.name);
      tell("field_focus", { field: fieldId(event.name) });
    } else if (event.type === "field" && event.event.type === "blurred") {
      tell("field_blur", { field: fieldId(event.name), state: after.fields[event.name].state });
    } else if (event.type === "field") {
      tellOfInput(event.name, before, after, tell);
    }
  }

  function tellOfInput(name: FormField, before: FormState, after: FormState, tell: Tell): void {
    if (before.fields[name].text !== after.fields[name].text && !reported.has(name)) {
      reported.add(name);
      tell("field_input", { field: fieldId(name) });
    }
    const brand = brandOf(after);
    if (brand !== null && brand !== brandOf(before)) {
      tell("brand_detected", { brand: brand.name });
    }
  }
}

function tellOfErrors({ before, after }: FormStep, tell: Tell): void {
  for (const name of Object.keys(after.fields) as FormField[]) {
    const { errorId } = after.fields[name];
    if (errorId !== null && errorId !== before.fields[name].errorId) {
      tell("field_error", { field: fieldId(name), error_id: errorId });
    }
  }
}

/** The shopper's choices about saved cards, and the server's answers. */
function tellOfSavedCards({ event, before, after }: FormStep, tell: Tell): void {
  const { trouble, selected } = after.saved;
  if (trouble !== null && trouble !== before.saved.trouble) {
    tell("saved_cards_error", { trouble });
  }
  if (event.type === "save-card-chosen") {
    tell("save_card_toggled", { saves: event.saves });
  }
  if (before === after) {
    return;
  }
  switch (event.type) {
    case "saved-cards-answered":
      if (event.cards !== null) {
        tell("saved_cards_loaded", { count: event.cards.length });
      }
      break;
    case "saved-card-selected":
    case "method-chosen":
      if (selected !== null && selected !== before.saved.selected) {
        tell("saved_card_selected");
      }
      if (after.method === "new" && before.method === "saved") {
        tell("new_card_chosen");
      }
      break;
    case "removal-asked":
      tell("saved_card_remove_asked");
      break;
    case "removal-answered":
      if (event.removed) {
        tell("saved_card_removed");
      }
      break;
  }
}

function tellOfSubmission({ event, before, after }: FormStep, tell: Tell): void {
  const was = before.submission;
  const is = after.submission;
  if (was.phase === "open" && (is.phase === "awaiting-client-secret" || is.phase === "charging")) {
    tell("submit_invoked", { method: after.method === "saved" ? "saved_card" : "new_card" });
  }
  const isUnderWay = was.phase !== "open" && was.phase !== "closed";
  if (isUnderWay && isPaid(after)) {
    tell("submit_success");
  } else if (isUnderWay && (is.phase === "open" || is.phase === "closed")) {
    const declineCode = after.failure?.declineCode;
    tell("submit_fail", { status: failureOf(event), ...(declineCode ? { decline_code: declineCode } : {}) });
  }
  const isShown = (submission: FormState["submission"]) =>
    submission.phase === "settling" && submission.shopperAction !== null;
  if (isShown(is) && !isShown(was)) {
    tell("challenge_shown");
  }
  if (event.type === "challenge-closed" && isShown(was)) {
    tell("challenge_closed");
  }
}

/** Why the payment failed: the charge's status, or the error from the server or the parent. */
function failureOf(event: FormStep["event"]): string {
  switch (event.type) {
    case "charge-answered":
      return answerOf(event.answer);
    case "charge-seen":
      return event.charge.status;
    case "client-secret":
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
    default:
      return answer.kind;
  }
}

/** A field's id. It does not say which saved card. */
function fieldId(name: FormField): string {
  if (name === "savedExpiry") {
    return "saved-card-expiry";
  }
  return name === "savedSecurity" ? "saved-card-security-code" : FIELD_IDS[name];
}
