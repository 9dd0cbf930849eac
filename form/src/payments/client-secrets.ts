// The client secrets with which the page calls the service. The payment page has its own; in a frame the parent hands them
// over, a new one for each question.

import type { FormPage } from "../../generated/wire.ts";
import type { Caller } from "./charges.ts";

/** How long a parent may take to answer a request for the client secret. */
const ANSWER_TIMEOUT_MS = 15_000;

export class ClientSecrets {
  /** The origin of the parent, which hands over client secrets; null on the payment page. */
  parentOrigin: string | null = null;
  /** Callbacks that wait for the client secret from the parent. */
  private waiting: ((secret: string | null) => void)[] = [];

  /** `inUse` is the client secret for questions about the charge: the payment page's own, later the one used to pay. */
  constructor(
    private readonly page: FormPage,
    public inUse: string | null,
    private readonly askParent: () => void,
  ) {}

  /** The payment page's own client secret, or a new one from the parent; null if none comes. */
  fresh(): Promise<string | null> {
    if (this.page.standalone) {
      return Promise.resolve(this.inUse);
    }
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) {
        this.askParent();
        setTimeout(() => this.waiting.includes(resolve) && this.handOver(null), ANSWER_TIMEOUT_MS);
      }
    });
  }

  async freshCaller(): Promise<Caller | null> {
    const secret = await this.fresh();
    return secret === null ? null : this.caller(secret);
  }

  /** Gives the parent's answer to everything that waits for it. */
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
