// What happened to a charge, day by day: attempts, calls to the provider, refunds, webhooks and operators' acts.

import type { OperatorStory, StoryMoment } from "../../../form/generated/wire.ts";
import { brandName, capitalized, declineName, words } from "../names.ts";
import { formatDay, formatSecond } from "../times.ts";

type MomentTone = "good" | "bad" | "wait" | "plain" | "minor";

interface ToldMoment {
  readonly title: string;
  readonly detail?: string;
  readonly tone: MomentTone;
}

export function Timeline({ story }: { readonly story: OperatorStory }) {
  const days = new Map<string, { readonly moment: StoryMoment; readonly told: ToldMoment }[]>();
  for (const moment of story.timeline) {
    const told = tell(moment, story);
    if (told !== null) {
      const day = formatDay(moment.at);
      days.set(day, [...(days.get(day) ?? []), { moment, told }]);
    }
  }
  return (
    <section className="panel timeline" aria-labelledby="timeline">
      <h3 id="timeline">What happened</h3>
      {[...days].map(([day, moments]) => (
        <div key={day}>
          <h4 className="soft small">{day}</h4>
          <ol>
            {moments.map(({ moment, told }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: moments have no id, and none is removed
              <li key={place} data-tone={told.tone}>
                <time className="small soft" dateTime={moment.at}>
                  {formatSecond(moment.at)}
                </time>
                <div>
                  <p className="moment-title">{told.title}</p>
                  {told.detail !== undefined && <p className="small soft moment-detail">{told.detail}</p>}
                </div>
              </li>
            ))}
          </ol>
        </div>
      ))}
    </section>
  );
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
/** Without the id that the service's sentences end with. */
const withoutId = (told: string): string => told.replace(/ \((?:att|evt|re|op|dp)_[^)]*\)$/, "");

/** The moment in words; null if another moment says the same. */
function tell(moment: StoryMoment, story: OperatorStory): ToldMoment | null {
  switch (moment.topic) {
    case "state":
      return tellState(text(moment.fields.status));
    case "change":
      return { title: "Terms changed", detail: capitalized(moment.text), tone: "plain" };
    case "attempt":
      return tellAttempt(moment, story);
    case "provider":
      return { title: `Provider ${withoutId(moment.text)}`, tone: isTrouble(moment) ? "bad" : "minor" };
    case "shopper":
      return { title: `Shopper ${withoutId(moment.text)}`, tone: "plain" };
    case "operation":
      return tellOperation(moment, story);
    case "dispute":
      return {
        title: capitalized(withoutId(moment.text)),
        tone: moment.fields.what === "won" ? "good" : "bad",
      };
    case "webhook":
      return tellWebhook(moment);
    case "audit":
      return tellAct(moment, story);
    default:
      return { title: capitalized(moment.text), tone: "minor" };
  }
}

const isTrouble = ({ text: told, fields }: StoryMoment): boolean =>
  told.includes("REFUND") || ["unknown", "unreachable"].includes(text(fields.result));

/** The other statuses are told by the attempts and the operations. */
function tellState(status: string): ToldMoment | null {
  switch (status) {
    case "created":
      return { title: "Charge created", tone: "plain" };
    case "waiting_for_shopper_action":
      return { title: "The bank asks for a challenge", tone: "wait" };
    case "outcome_unknown":
      return { title: "The provider’s answer was lost", tone: "bad" };
    case "canceled":
      return { title: "Canceled", tone: "plain" };
    case "expired":
      return { title: "Expired", tone: "plain" };
    default:
      return null;
  }
}

function tellAttempt({ fields }: StoryMoment, { attempts, charge }: OperatorStory): ToldMoment {
  const attempt = attempts.find(({ id }) => id === fields.attempt_id);
  const brand = attempt?.brand ? brandName(attempt.brand) : "a card";
  const card = attempt?.last_four ? `${brand} •••• ${attempt.last_four}` : brand;
  switch (fields.what) {
    case "began":
      return { title: `Attempt with ${card}`, tone: "wait" };
    case "succeeded":
      return {
        title: charge.capture_method === "manual" ? "Accepted: the money is held" : "Paid",
        detail: `Provider’s reference ${text(fields.provider_reference)}`,
        tone: "good",
      };
    default: {
      const code = text(fields.decline_code);
      return {
        title: code === "" ? "Given up" : `Declined: ${declineName(code).toLowerCase()}`,
        tone: "bad",
      };
    }
  }
}

function tellOperation({ fields }: StoryMoment, { charge }: OperatorStory): ToldMoment {
  const what = `${words(text(fields.kind))} of ${text(fields.amount_value)} ${charge.amount_currency}`;
  switch (fields.what) {
    case "began":
      return { title: `${what} began`, tone: "wait" };
    case "succeeded":
      return { title: `${what} succeeded`, tone: "good" };
    case "failed":
      return { title: `${what} failed`, detail: words(text(fields.failure_code)), tone: "bad" };
    default:
      return { title: `${what}: ${text(fields.what).replaceAll("_", " ")}`, tone: "wait" };
  }
}

function tellWebhook({ fields, text: told }: StoryMoment): ToldMoment | null {
  const kind = text(fields.kind);
  switch (fields.what) {
    // The webhook's first call tells it as well.
    case "written":
      return null;
    case "replayed":
      return { title: `${kind} is sent again`, tone: "minor" };
    case "sent": {
      const result = text(fields.result);
      const isAccepted = result.startsWith("2");
      return {
        title: isAccepted ? `${kind} delivered` : `${kind} not accepted: ${result}`,
        tone: isAccepted ? "minor" : "bad",
      };
    }
    default:
      return { title: capitalized(withoutId(told)), tone: "minor" };
  }
}

function tellAct({ fields }: StoryMoment, { charge }: OperatorStory): ToldMoment {
  const detail = (fields.detail ?? {}) as Readonly<Record<string, unknown>>;
  const actor = text(fields.actor).replace(/^operator (?=.)/, "");
  const action = text(fields.action);
  const amount = text(detail.amount_value);
  const sum = amount === "" ? "" : ` of ${amount} ${charge.amount_currency}`;
  const acts: Readonly<Record<string, string>> = {
    refund_requested: `${actor} asked for a refund${sum}`,
    capture_requested: `${actor} asked for a capture${sum}`,
    cancel_requested: `${actor} asked to cancel`,
    resend_requested: `${actor} asked to resend ${text(detail.event)}`,
  };
  const reason = text(detail.reason);
  return {
    title: acts[action] ?? `${words(action)} by ${actor}`,
    ...(reason !== "" && { detail: `“${reason}”` }),
    tone: action in acts ? "plain" : "minor",
  };
}
