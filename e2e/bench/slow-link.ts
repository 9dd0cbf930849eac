// A slow network between browser and server: a TCP proxy whose way down carries so many bytes per second over all
// connections, and on which every byte is late. A browser that slows down by itself does so for each request alone, and
// forgets that a connection has to be opened.

import { connect, createServer, type Socket } from "node:net";

import { listenLocally } from "../src/proxy.ts";

/** The network of Lighthouse's phone. */
export const SLOW_4G = { bitsPerSecond: 1_600_000, roundTripMs: 150 };

/** So much of a connection's data goes out before it is the next connection's turn. */
const PACKET_BYTES = 1_460;
/** How often packets are sent. */
const TICK_MS = 2;
const BITS_PER_BYTE = 8;
const MS_PER_SECOND = 1_000;

export interface SlowLink {
  /** The address at which the server is reached slowly. */
  readonly url: string;
  readonly stop: () => void;
}

/** Starts the proxy in front of the server at `target`. */
export async function startSlowLink(
  target: string,
  { bitsPerSecond, roundTripMs } = SLOW_4G,
): Promise<SlowLink> {
  const { hostname, port } = new URL(target);
  const bytesPerMs = bitsPerSecond / BITS_PER_BYTE / MS_PER_SECOND;
  const oneWayMs = roundTripMs / 2;
  const connections = new Set<SlowConnection>();
  /** Bytes that may go down now. What is not used is lost, as on a real line. */
  let credit = 0;
  let last = performance.now();
  const ticking = setInterval(() => {
    const now = performance.now();
    credit = Math.min(credit, PACKET_BYTES) + (now - last) * bytesPerMs;
    last = now;
    let hasSent = true;
    while (hasSent) {
      hasSent = false;
      for (const connection of connections) {
        const bytes = Math.min(PACKET_BYTES, connection.waitingBytes());
        if (bytes > 0 && credit >= bytes) {
          credit -= bytes;
          hasSent = true;
          const packet = connection.take(bytes);
          setTimeout(() => connection.client.write(packet), oneWayMs);
        }
      }
    }
    for (const connection of connections) {
      if (connection.hasEnded && connection.waitingBytes() === 0) {
        connections.delete(connection);
        setTimeout(() => connection.client.end(), oneWayMs);
      }
    }
  }, TICK_MS);
  const server = createServer((client) => {
    client.setNoDelay();
    const upstream = connect({ host: hostname, port: Number(port) });
    const connection = new SlowConnection(client, upstream);
    connections.add(connection);
    // The browser is connected to the proxy at once; on the real line that takes a round trip, too.
    const openAt = performance.now() + roundTripMs;
    client.on("data", (chunk) => {
      const waitMs = Math.max(0, openAt - performance.now()) + oneWayMs;
      setTimeout(() => upstream.write(chunk), waitMs);
    });
    client.on("close", () => {
      connections.delete(connection);
      upstream.destroy();
    });
    for (const socket of [client, upstream]) {
      socket.on("error", () => client.destroy());
    }
  });
  return {
    url: await listenLocally(server),
    stop: () => {
      clearInterval(ticking);
      server.close();
      for (const { client } of connections) {
        client.destroy();
      }
    },
  };
}

/** A connection, and what its server has sent and the link has not yet taken. */
class SlowConnection {
  readonly client: Socket;
  hasEnded = false;
  private waiting: Buffer = Buffer.alloc(0);

  constructor(client: Socket, upstream: Socket) {
    this.client = client;
    upstream.on("data", (chunk) => {
      this.waiting = Buffer.concat([this.waiting, chunk]);
    });
    upstream.on("end", () => {
      this.hasEnded = true;
    });
  }

  waitingBytes(): number {
    return this.waiting.length;
  }

  take(bytes: number): Buffer {
    const packet = this.waiting.subarray(0, bytes);
    this.waiting = this.waiting.subarray(bytes);
    return packet;
  }
}
