// One charge: what it is worth, what happened to it, and what the person can do with it.

import { useCallback, useEffect, useRef, useState } from "react";
import type { OperatorAct, OperatorStory, WebhookInStory } from "../../../form/generated/wire.ts";
import { ErrorBanner } from "../error-banner.tsx";
import { capitalized, declineName, words } from "../names.ts";
import { lastSearchHash } from "../route.ts";
import { formatMoment } from "../times.ts";
import { useAnswer } from "../use-answer.ts";
import { ACT_TEXTS, ActDialog, type PlannedAct } from "./act-dialog.tsx";
import { amountText } from "./amounts.ts";
import { CardName } from "./card-name.tsx";
import type { DeskProps } from "./desk-props.ts";
import { Facts } from "./facts.tsx";
import { Badge, ChargeBadge, OPERATION_STATUSES } from "./status.tsx";
import { Timeline } from "./timeline.tsx";

/** How long after an answer a charge is read again while something is under way. */
const REFRESH_MS = 3_000;

interface ChargePageProps extends DeskProps {
  readonly id: string;
}

export function ChargePage({ operatorKey, onKeyRefused, id }: ChargePageProps) {
  const path = useCallback(() => `charges/${encodeURIComponent(id)}`, [id]);
  const answer = useAnswer<OperatorStory>(operatorKey, path, (story) =>
    story !== null && isUnderWay(story) ? REFRESH_MS : null,
  );
  const { value: story, error, refresh } = answer;
  const [planned, setPlanned] = useState<PlannedAct | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const isLoaded = story !== null;

  // The link that was followed has gone.
  useEffect(() => {
    if (isLoaded) {
      heading.current?.focus({ preventScroll: true });
    }
  }, [isLoaded]);

  // The dialog gives the focus back to its button, unless the act has taken the button away.
  const closed = () => {
    setPlanned(null);
    if (document.activeElement === document.body) {
      heading.current?.focus({ preventScroll: true });
    }
  };

  const isMissing = error?.kind === "refused" && error.status === 404;
  return (
    <main className="dashboard story" aria-busy={story === null && error === null}>
      <p className="back">
        <a href={lastSearchHash()}>
          <span aria-hidden="true">← </span>Charges
        </a>
      </p>
      {isMissing ? (
        <section className="panel nothing">
          <h2>There is no such charge</h2>
          <p className="soft">Perhaps it is another merchant’s, or its address is not whole.</p>
        </section>
      ) : (
        <ErrorBanner error={error} onRetry={refresh} onKeyRefused={onKeyRefused} />
      )}
      {story !== null && <Story story={story} heading={heading} onAct={setPlanned} />}
      {story === null && error === null && <div className="panel ghost ghost-panel" aria-hidden="true" />}
      {story !== null && planned !== null && (
        <ActDialog
          operatorKey={operatorKey}
          story={story}
          planned={planned}
          onChanged={refresh}
          onClose={closed}
        />
      )}
    </main>
  );
}

function isUnderWay({ charge, operations, webhooks }: OperatorStory): boolean {
  return (
    ["processing", "waiting_for_shopper_action", "outcome_unknown"].includes(charge.status) ||
    operations.some(({ status }) => status !== "succeeded" && status !== "failed") ||
    webhooks.some(({ state }) => state === "due")
  );
}

interface StoryProps {
  readonly story: OperatorStory;
  readonly heading: React.RefObject<HTMLHeadingElement | null>;
  readonly onAct: (planned: PlannedAct) => void;
}

function Story({ story, heading, onAct }: StoryProps) {
  const { charge } = story;
  // The badge says that it is paid.
  const now = charge.status === "succeeded" ? story.now.slice(1) : story.now;
  return (
    <>
      <section className="panel story-head" aria-labelledby="charge">
        <div className="story-title">
          <h2 id="charge" ref={heading} tabIndex={-1}>
            {charge.partner_reference}
          </h2>
          <ChargeBadge charge={charge} />
        </div>
        <p className="story-sum">{amountText(charge.amount_value, charge.amount_currency)}</p>
        <p className="soft">
          {charge.item_name}
          {story.partner_name !== "" && ` · ${story.partner_name}`}
        </p>
        {/* Sentences of the service, such as a refund that a person must make. */}
        <ul className="story-now" hidden={now.length === 0}>
          {now.map((line) => (
            <li key={line} data-bad={line.startsWith("REFUND")}>
              {capitalized(line)}.
            </li>
          ))}
        </ul>
        <Acts story={story} onAct={onAct} />
      </section>
      <Sums story={story} />
      <div className="story-columns">
        <div className="story-side">
          <Timeline story={story} />
          <Refunds story={story} />
          <Webhooks story={story} onAct={onAct} />
        </div>
        <div className="story-side">
          {charge.decline !== null && (
            <Facts
              title="Decline"
              facts={[
                ["Reason", declineName(charge.decline.code)],
                ["Advice", words(charge.decline.advice)],
                ["Network’s code", charge.decline.network_code],
              ]}
            />
          )}
          {charge.dispute !== null && (
            <Facts
              title="Dispute"
              facts={[
                ["Status", words(charge.dispute.status)],
                ["Amount", amountText(charge.dispute.amount_value, charge.amount_currency)],
                ["Reason", words(charge.dispute.reason ?? "")],
                [
                  "Answer before",
                  charge.dispute.respond_before === null ? null : formatMoment(charge.dispute.respond_before),
                ],
              ]}
            />
          )}
          <CardFacts story={story} />
          <ChargeFacts story={story} />
          <Facts title="Metadata" facts={Object.entries(charge.metadata)} />
        </div>
      </div>
    </>
  );
}

/** The acts on the charge itself. Each event has its own button. */
function Acts({ story: { acts }, onAct }: Omit<StoryProps, "heading">) {
  const all = Object.keys(ACT_TEXTS) as OperatorAct[];
  const offered = all.filter((act) => act !== "resend" && acts.includes(act));
  if (offered.length === 0) {
    return null;
  }
  return (
    <div className="story-acts">
      {offered.map((act, place) => (
        <button
          key={act}
          type="button"
          className={place === 0 && act !== "cancel" ? "primary" : undefined}
          onClick={() => onAct({ act })}
        >
          {`${ACT_TEXTS[act].confirm}…`}
        </button>
      ))}
    </div>
  );
}

/** The sums of a charge whose card was accepted. */
function Sums({ story }: { readonly story: OperatorStory }) {
  const { charge, amount_refundable } = story;
  if (charge.status !== "succeeded" && charge.status !== "authorized") {
    return null;
  }
  const isHeld = charge.status === "authorized";
  const sums = isHeld
    ? [
        ["Held", charge.amount_capturable],
        ["Captured", charge.amount_captured],
      ]
    : [
        ["Paid", charge.amount_value],
        ["Captured", charge.amount_captured],
        ["Refunded", charge.amount_refunded],
        ["Left", amount_refundable],
      ];
  return (
    <dl className="sums">
      {sums.map(([name = "", amount = ""]) => (
        <div key={name} className="panel" data-sum={name}>
          <dt>{name}</dt>
          <dd>{amountText(amount, charge.amount_currency)}</dd>
        </div>
      ))}
      {isHeld && charge.capture_before !== null && (
        <div className="panel">
          <dt>Capture before</dt>
          <dd>{formatMoment(charge.capture_before)}</dd>
        </div>
      )}
    </dl>
  );
}

function CardFacts({ story }: { readonly story: OperatorStory }) {
  const { paid_with: card, provider } = story.charge;
  const last = story.attempts.at(-1);
  const check = (result: string | null | undefined) => (result ? words(result) : null);
  return (
    <Facts
      title="Card and provider"
      facts={[
        [
          "Card",
          card !== null || last !== undefined ? <CardName key="card" card={card ?? last ?? null} /> : null,
        ],
        ["Expires", card?.expiration_month ? `${card.expiration_month}/${card.expiration_year}` : null],
        ["Funding", check(card?.funding)],
        ["Issued in", card?.country ?? null],
        ["Network", card?.network ?? null],
        ["Saved card", card?.payment_method_id ?? null, "code"],
        ["Security code", check(card?.checks.security_code)],
        ["Postal code", check(card?.checks.postal_code)],
        ["3-D Secure", card?.three_ds ? words(card.three_ds.outcome) : null],
        ["Provider", provider?.name ?? null],
        ["Provider’s reference", provider?.reference ?? null, "code"],
        ["Network’s id", provider?.network_transaction_id ?? null, "code"],
      ]}
    />
  );
}

function ChargeFacts({ story }: { readonly story: OperatorStory }) {
  const { charge, partner_id } = story;
  return (
    <Facts
      title="Charge"
      facts={[
        ["Charge id", charge.id, "code"],
        ["Merchant", partner_id, "code"],
        ["Item code", charge.item_code],
        ["Shopper", charge.shopper_id ?? "Guest"],
        ["Money is taken", charge.capture_method === "manual" ? "When it is captured" : "At the payment"],
        ["Created", formatMoment(charge.created_at)],
        [
          charge.status === "authorized" ? "Accepted" : "Paid",
          charge.paid_at === null ? null : formatMoment(charge.paid_at),
        ],
      ]}
    />
  );
}

function Refunds({ story }: { readonly story: OperatorStory }) {
  if (story.operations.length === 0) {
    return null;
  }
  const { amount_currency } = story.charge;
  return (
    <section className="panel" aria-labelledby="refunds">
      <h3 id="refunds">Refunds and captures</h3>
      <ul className="lines">
        {story.operations.map(({ id, kind, status, amount_value, reason, failure_code }) => (
          <li key={id}>
            <p className="line-head">
              <span>
                {words(kind)} of <strong>{amountText(amount_value, amount_currency)}</strong>
              </span>
              <Badge {...OPERATION_STATUSES[status]} />
            </p>
            {reason !== null && <p className="small">“{reason}”</p>}
            {failure_code !== null && <p className="small bad">{words(failure_code)}</p>}
            <p className="small soft code">{id}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

const WEBHOOK_STATES: Readonly<Record<string, { name: string; tone: "good" | "bad" | "wait" }>> = {
  delivered: { name: "Delivered", tone: "good" },
  given_up: { name: "Given up", tone: "bad" },
  due: { name: "Waiting", tone: "wait" },
  queued: { name: "Queued", tone: "wait" },
};

function Webhooks({ story, onAct }: Omit<StoryProps, "heading">) {
  if (story.webhooks.length === 0) {
    return null;
  }
  const canResend = story.acts.includes("resend");
  return (
    <section className="panel" aria-labelledby="webhooks">
      <h3 id="webhooks">Webhook events</h3>
      <ul className="lines">
        {story.webhooks.map((event) => (
          <li key={event.id}>
            <p className="line-head">
              <span className="event-kind">{event.kind}</span>
              <Badge {...(WEBHOOK_STATES[event.state] ?? { name: words(event.state), tone: "wait" })} />
            </p>
            <p className="small soft">{triesText(event)}</p>
            <p className="line-end">
              <span className="small soft code">{event.id}</span>
              {canResend && (
                <button
                  type="button"
                  className="small-button"
                  aria-label={`Resend ${event.kind}`}
                  onClick={() => onAct({ act: "resend", event })}
                >
                  Resend…
                </button>
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function triesText({ tries, last_result }: WebhookInStory): string {
  if (tries === 0) {
    return "Not sent yet";
  }
  const times = tries === 1 ? "Sent once" : `Sent ${tries} times`;
  return last_result === null ? times : `${times}, last answer ${last_result}`;
}
