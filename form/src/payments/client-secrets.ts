// The client secrets with which the page calls the service. In a frame the parent hands them over, and to a payment page its
// link: a new one for each question. A payment page that was opened with a client secret has only that one.

import type { FormPage } from "../../generated/wire.ts";
import type { Caller } from "./charges.ts";

/** How long the answer to a request for the client secret may take. */
export const ANSWER_TIMEOUT_MS = 15_000;

export class ClientSecrets {
  /** The origin of the parent, which hands over client secrets; null on the payment page. */
  parentOrigin: string | null = null;
  /** Callbacks that wait for the client secret from the parent. */
  private waiting: ((secret: string | null) => void)[] = [];

  /**
   * `inUse` is the client secret for questions about the charge: the payment page's own, later the one used to pay. `ask` asks
   * for a new one; null if none can be had.
   */
  constructor(
    private readonly page: FormPage,
    public inUse: string | null,
    private readonly ask: (() => void) | null,
  ) {}

  /** Whether a new client secret can be asked for. */
  get canAsk(): boolean {
    return this.ask !== null;
  }

  /** A new client secret from the parent or the link, or the payment page's own; null if none comes. */
  fresh(): Promise<string | null> {
    const { ask } = this;
    if (ask === null) {
      return Promise.resolve(this.inUse);
    }
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1) {
        ask();
      }
      setTimeout(() => {
        this.waiting = this.waiting.filter((waits) => waits !== resolve);
        // The others joined a request that got no answer. After an answer none of them waits any more.
        if (this.waiting[0]) {
          ask();
        }
        resolve(null);
      }, ANSWER_TIMEOUT_MS);
    });
  }

  async freshCaller(): Promise<Caller | null> {
    const secret = await this.fresh();
    return secret === null ? null : this.caller(secret);
  }

  /** Gives the answer to everything that waits for it. */
  handOver(secret: string | null): void {
    const served = this.waiting;
    this.waiting = [];
    this.inUse = secret ?? this.inUse;
    for (const serve of served) {
      serve(secret);
    }
  }

  caller(secret: string): Caller {
    const { intent, cookie_id, service } = this.page;
    const meant = { ...intent, parentOrigin: this.parentOrigin };
    return { clientSecret: secret, cookieId: cookie_id, service, meant };
  }
}
