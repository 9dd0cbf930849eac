// The calls of the card page (docs/card-page.md#its-calls), with the session's client secret. Only answers of our own server
// count. None of them throws.

import { PAGE_UPDATE_HEADER } from "../../generated/page-update.ts";
import type { CreatedCharge, FormPage, PageUpdate, SavedCard } from "../../generated/wire.ts";
import type { CardChange, OwnCard } from "../card/card-page.ts";
import { changedSearch } from "../page-change.ts";
import { errorOf } from "./charges.ts";
import { claimsOf } from "./client-secret.ts";
import { listItems, savedCards } from "./saved-cards.ts";

/** How long an answer may take. */
const ANSWER_TIMEOUT_MS = 10_000;
/** The longest page of the list, and how many pages are read. */
const PAGE_SIZE = 50;
const PAGES_MAX = 20;

/** A new form that adds a card. */
export interface SetupForm {
  readonly page: FormPage;
  readonly clientSecret: string;
}

export class CardSessionCalls {
  private readonly headers: HeadersInit;

  constructor(
    private readonly page: FormPage,
    clientSecret: string,
    /** Called when the service accepts the session no longer. */
    private readonly onExpired: () => void,
  ) {
    this.headers = { Authorization: `Bearer ${clientSecret}`, "Content-Type": "application/json" };
  }

  /** All cards of the shopper; null if they cannot be loaded. */
  async list(): Promise<OwnCard[] | null> {
    const cards: OwnCard[] = [];
    for (let number = 1; number <= PAGES_MAX; number += 1) {
      const shopper = encodeURIComponent(this.page.intent.shopperId);
      const query = `page_size=${PAGE_SIZE}&page_number=${number}`;
      const answer = await this.call(`/v1/pub/shoppers/${shopper}/payment-methods?${query}`);
      const read = answer?.status === 200 ? ownCards(answer.body) : null;
      if (read === null) {
        return null;
      }
      cards.push(...read);
      if (read.length < PAGE_SIZE) {
        break;
      }
    }
    return cards;
  }

  /** Changes or removes a card. A card that the service no longer has is "gone". */
  async change(id: string, change: CardChange): Promise<"done" | "gone" | "failed"> {
    const path = `/v1/pub/payment-methods/${encodeURIComponent(id)}`;
    const answer =
      change.type === "remove"
        ? await this.call(path, { method: "DELETE", body: { shopper_id: this.page.intent.shopperId } })
        : await this.call(path, { method: "POST", body: bodyOf(change) });
    const isDone =
      change.type === "remove"
        ? answer?.status === 204
        : answer?.status === 200 && (answer.body as Partial<SavedCard> | null)?.payment_method_id === id;
    if (isDone) {
      return "done";
    }
    const code = answer && errorOf(answer.status, answer.body)?.code;
    return code === "payment_method_not_found" ? "gone" : "failed";
  }

  /** A form that adds a card: a setup of the session, and the page that the service describes for it. */
  async add(): Promise<SetupForm | null> {
    const answer = await this.call("/v1/pub/card-sessions/charges", { method: "POST" });
    const { payload, client_secret: clientSecret } = (answer?.body ?? {}) as Partial<CreatedCharge>;
    if (answer?.status !== 201 || typeof payload !== "string" || typeof clientSecret !== "string") {
      return null;
    }
    const { pathname, search } = window.location;
    const path = pathname + changedSearch(search, { type: "page-change", payload }, this.page.cookie_id);
    const described = await answerOf(path, { headers: { [PAGE_UPDATE_HEADER]: "" } });
    const { page } = (described?.body ?? {}) as Partial<PageUpdate>;
    return described?.status === 200 && page !== undefined
      ? { page: { ...page, context: this.page.context, standalone: true }, clientSecret }
      : null;
  }

  private async call(path: string, init: { readonly method?: string; readonly body?: unknown } = {}) {
    const answer = await answerOf(this.page.service.base + path, {
      ...init,
      headers: this.headers,
      body: init.body === undefined ? null : JSON.stringify(init.body),
      // A change continues if the shopper leaves the page.
      keepalive: true,
    });
    if (answer?.status === 401) {
      this.onExpired();
    }
    return answer;
  }
}

/** Whether `clientSecret` is of the session and merchant of `page`. The server checks its signature. */
export function isOfSession(clientSecret: string | null, { intent }: FormPage): boolean {
  try {
    const { jti, sub } = claimsOf(clientSecret);
    return jti === intent.cardSession && (intent.partnerId === "" || sub === intent.partnerId);
  } catch {
    return false;
  }
}

function bodyOf(change: Exclude<CardChange, { type: "remove" }>) {
  return change.type === "name" ? { nickname: change.nickname } : { default: true };
}

async function answerOf(url: string, init: RequestInit): Promise<{ status: number; body: unknown } | null> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    return { status: response.status, body: await response.json().catch(() => null) };
  } catch (error) {
    console.warn("a call of the card page failed", error);
    return null;
  }
}

/** The cards in an answer with the shopper's choices; null if it has no list. */
export function ownCards(answer: unknown): OwnCard[] | null {
  try {
    const choices = new Map(listItems(answer).map((card) => [card?.payment_method_id, card]));
    return savedCards(answer).map((card) => {
      return { ...card, isDefault: choices.get(card.id)?.default === true };
    });
  } catch {
    return null;
  }
}
