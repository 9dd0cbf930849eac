// Every tracking event that a form's page posted, read between the browser and the service.

import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";

import type { EventBatch, Event as FormEvent } from "../../form/generated/wire.ts";
import type { Service } from "./service.ts";

export type { FormEvent };

export interface EventRecorder {
  /** Where the browser reaches the service through the recorder. */
  readonly url: string;
  /** Every event that was posted so far, in order. */
  readonly all: () => readonly FormEvent[];
  /** Waits until an event of this name was posted, and returns the last one. */
  readonly named: (name: string) => Promise<FormEvent>;
  /** The bodies as they were posted. */
  readonly bodies: readonly string[];
  /** The statuses that the service answered them with. */
  readonly statuses: readonly number[];
  readonly stop: () => void;
}

/**
 * Stands between a browser and `service`. What a page posts while it closes is seen here, too, which the tools that
 * drive browsers do not show.
 */
async function startRecorder(service: Service): Promise<EventRecorder> {
  const bodies: string[] = [];
  const statuses: number[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const isEvents = incoming.url?.startsWith("/topics/") ?? false;
    if (isEvents) {
      expect([incoming.method, incoming.url]).toEqual(["POST", "/topics/cardform-events"]);
      expect(incoming.headers["content-type"]).toBe("application/vnd.kafka.json.v2+json");
      bodies.push(body.toString());
    }
    const { method = "GET", headers } = incoming;
    const request = forward(new URL(incoming.url ?? "/", service.url), { method, headers }, (answer) => {
      if (isEvents) statuses.push(answer.statusCode ?? 0);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    request.on("error", () => outgoing.destroy());
    request.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const all = () =>
    bodies.flatMap((body) => (JSON.parse(body) as EventBatch).records.map(({ value }) => value));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    all,
    bodies,
    statuses,
    named: async (name) => {
      await expect.poll(() => all().map((event) => event.name)).toContain(name);
      return all().findLast((event) => event.name === name) as FormEvent;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Starts a recorder before a service. */
export type StartRecorder = (service: Service) => Promise<EventRecorder>;

/** A fixture: a test may start as many recorders as it needs, which stop after it. */
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures are asked for.
export function recorders({}, { onCleanup }: { onCleanup: (stop: () => void) => void }): StartRecorder {
  const started: EventRecorder[] = [];
  onCleanup(() => {
    for (const recorder of started) recorder.stop();
  });
  return async (service) => {
    const recorder = await startRecorder(service);
    started.push(recorder);
    return recorder;
  };
}

/** Every text and number of an event but its ids and its times, by where it stands. */
export function saidIn(event: FormEvent): readonly (readonly [string, string])[] {
  return leaves("", event).filter(([place]) => !/(^|\.)(id|visit|at|.*Id|.*Ms|.*_ms)$/.test(place));
}

function leaves(place: string, value: unknown): readonly (readonly [string, string])[] {
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        leaves(place === "" ? name : `${place}.${name}`, inner),
      )
    : [[place, String(value)]];
}
