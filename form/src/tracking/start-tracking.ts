// Starts tracking: reports the buffered activity, further activity, and that the shopper leaves. An error here never keeps
// a shopper from paying. docs/tracking.md lists what is reported.

import type { EventRecord, FormPage, Tracking } from "../../generated/wire.ts";
import type { FormStep, FormStore } from "../form-store.ts";
import type { LookUps } from "../look-ups.ts";
import type { Backlog, FormActivity } from "./backlog.ts";
import { campaignIn } from "./campaign.ts";
import { clickedElement } from "./click.ts";
import { createDelayedListener } from "./delayed-listener.ts";
import { createEngagement, startOf } from "./elapsed.ts";
import { createJourney } from "./journey.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { createPost } from "./post-events.ts";
import { randomId } from "./random-id.ts";
import { createTracker, NAMESPACE, type Tracker } from "./tracker.ts";
import { aboutOf, isPrivate, type PrivacySettings, pageViewOf, visitorOf } from "./visit.ts";

/** Starts tracking. If nothing is tracked, drops what the backlog has kept. */
export function startTracking(
  page: FormPage,
  store: FormStore,
  lookUps: LookUps,
  listen: Backlog["listen"],
): void {
  const { tracking } = page;
  const log = logOnce();
  let hear = (_: FormActivity) => {};
  if (tracking !== null) {
    withoutThrowing(log, () => {
      hear = track(page, store, lookUps, tracking, log);
    });
  }
  listen((activity) => hear(activity));
}

/** Reports that the page was opened and that it closes. Returns the listener for everything in between. */
function track(
  page: FormPage,
  store: FormStore,
  lookUps: LookUps,
  tracking: Tracking,
  log: (line: string) => void,
): (activity: FormActivity) => void {
  const opened = Math.round(Date.now() - performance.now());
  const unknown = isPrivate(navigator as PrivacySettings);
  const engagement = createEngagement(isVisible(), opened);
  const outbox = tracking.mode === "dev" ? createConsoleOutbox() : createPostingOutbox(tracking.topic, log);
  const tracker = createTracker({
    namespace: NAMESPACE,
    visitor: visitorOf(page, tracking, unknown),
    unknown,
    start: startOf(page.init_time_ms, opened, Date.now()),
    about: aboutOf(page, lookUps, unknown),
    engagementMs: engagement.ms,
    newId: randomId,
    add: outbox.add,
    log,
  });
  const journey = createJourney();
  const hearDeviceData = deviceDataListener(page, lookUps, tracker);

  tracker.open(opened, unknown ? null : campaignIn(window.location.search), pageViewOf(page, store));
  tracker.view(opened, page.experiments);
  reportFraudToken(page, lookUps, tracker);
  const listener = createDelayedListener((activity: FormActivity) =>
    withoutThrowing(log, () => hear(activity)),
  );
  document.addEventListener("visibilitychange", () =>
    withoutThrowing(log, () => {
      listener.now();
      engagement.seen(isVisible(), Date.now());
      if (!isVisible()) {
        outbox.flush();
      }
    }),
  );
  window.addEventListener("pagehide", () =>
    withoutThrowing(log, () => {
      listener.now();
      const { name, data } = journey.left(store.state());
      tracker.leave(Date.now(), name, data);
      outbox.flush();
    }),
  );
  return listener.later;

  function hear(activity: FormActivity): void {
    if (activity instanceof Event) {
      const element = clickedElement(activity.target);
      if (element !== null) {
        tracker.click(Math.round(Date.now() - performance.now() + activity.timeStamp), element);
      }
      return;
    }
    for (const { name, data } of journey.events(activity)) {
      tracker.custom(activity.at, name, data);
    }
    hearDeviceData(activity);
  }
}

/** Reports how each collection of device data ended. There is one for each complete card number. */
function deviceDataListener(
  { device_data_timeout_ms }: FormPage,
  { deviceSession }: LookUps,
  tracker: Tracker,
): (step: FormStep) => void {
  let last: Promise<string | null> | null = null;
  return ({ after }) => {
    if (device_data_timeout_ms === null || after.fields.cardNumber.state !== "CompletedAndValid") {
      return;
    }
    const session = deviceSession();
    if (session !== null && session !== last) {
      last = session;
      void session.then((id) =>
        tracker.custom(Date.now(), "device_data", { outcome: id === null ? "none" : "collected" }),
      );
    }
  };
}

/** Reports whether the fraud prevention's script gave a token, after 15 seconds at the latest. */
function reportFraudToken({ fraud_script }: FormPage, { facts, learnt }: LookUps, tracker: Tracker): void {
  if (fraud_script !== null) {
    void learnt
      .then(() => facts.fraudToken())
      .then((token) =>
        tracker.custom(Date.now(), "fraud_token", { outcome: token === "" ? "none" : "collected" }),
      );
  }
}

function createPostingOutbox(topic: string, log: (line: string) => void): Outbox {
  return createOutbox(createPost(topic, log), () =>
    log("Too many events wait to be posted; the oldest are dropped."),
  );
}

/** In the dev environment events are only logged (docs/tracking.md#switching-it-off). */
function createConsoleOutbox(): Outbox {
  return { add: (record: EventRecord) => console.info("event", record.value), flush: () => {} };
}

function isVisible(): boolean {
  return document.visibilityState === "visible";
}

/** Logs each line once: a service that is down is usually down for the whole visit. */
function logOnce(): (line: string) => void {
  const said = new Set<string>();
  return (line) => {
    if (!said.has(line)) {
      said.add(line);
      console.warn(line);
    }
  };
}

/** Logs an error instead of throwing it, so that the page works without tracking. */
function withoutThrowing(log: (line: string) => void, doing: () => void): void {
  try {
    doing();
  } catch (error) {
    log(`Tracking failed: ${error instanceof Error ? error.name : "unknown"}`);
  }
}
