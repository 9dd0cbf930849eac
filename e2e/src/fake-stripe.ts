// A server that Cardform calls instead of Stripe. Every payment needs a challenge, whose page redirects to the return URL,
// as Stripe's documentation describes it.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

import { listenLocally } from "./proxy.ts";

/** Any key of the right form. */
const KEY = "sk_test_ofBrowsers";

interface PaymentIntent {
  readonly id: string;
  status: string;
  returnUrl: string;
}

export interface FakeStripe {
  /** The arguments that make Cardform call this server. */
  readonly args: readonly string[];
  /** The status of each payment, in the order in which they were made. */
  readonly statuses: () => string[];
  readonly stop: () => Promise<void>;
}

export async function startFakeStripe(): Promise<FakeStripe> {
  const payments: PaymentIntent[] = [];
  const server: Server = createServer((request, response) => void answer(request, response));
  const origin = await listenLocally(server);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const { pathname } = new URL(request.url ?? "", origin);
    const [, first, second, id, action] = pathname.split("/");
    const payment = payments.find((known) => known.id === id);
    if (first === "bank" && payment !== undefined) {
      answerAsBank(payment, action, response);
    } else if (request.headers.authorization !== `Bearer ${KEY}`) {
      sendJson(response, 401, { error: { type: "invalid_request_error" } });
    } else if (second === "payment_methods") {
      sendJson(response, 200, { id: "pm_1", object: "payment_method" });
    } else if (second === "payment_intents" && id === undefined) {
      const made = { id: `pi_${payments.length + 1}`, status: "requires_confirmation", returnUrl: "" };
      payments.push(made);
      sendJson(response, 200, toJson(made));
    } else if (second === "payment_intents" && payment !== undefined) {
      change(payment, action, form);
      sendJson(response, 200, toJson(payment));
    } else {
      sendJson(response, 404, { error: { type: "invalid_request_error", code: "resource_missing" } });
    }
  }

  /** Sends the bank's page, or, when one of its two links was clicked, changes the payment and redirects. */
  function answerAsBank(payment: PaymentIntent, action: string | undefined, response: ServerResponse): void {
    if (action === undefined) {
      const page = `<!doctype html><title>Bank</title><a id="approve" href="/bank/-/${payment.id}/approve">Yes</a>
        <a id="reject" href="/bank/-/${payment.id}/reject">No</a>`;
      response.writeHead(200, { "content-type": "text/html" }).end(page);
      return;
    }
    payment.status = action === "approve" ? "succeeded" : "requires_payment_method";
    response.writeHead(302, { location: payment.returnUrl }).end();
  }

  function toJson({ id, status, returnUrl }: PaymentIntent): unknown {
    const url = `${origin}/bank/-/${id}`;
    return {
      id,
      object: "payment_intent",
      status,
      next_action:
        status === "requires_action"
          ? { type: "redirect_to_url", redirect_to_url: { url, return_url: returnUrl } }
          : null,
      last_payment_error:
        status === "requires_payment_method" ? { code: "payment_intent_authentication_failure" } : null,
      metadata: {},
    };
  }

  return {
    args: [
      ...["--provider", "stripe", "--provider-url", origin],
      ...["--provider-key", KEY, "--provider-public-url", origin],
    ],
    statuses: () => payments.map(({ status }) => status),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function change(payment: PaymentIntent, action: string | undefined, form: URLSearchParams): void {
  if (action === "confirm") {
    payment.status = "requires_action";
    payment.returnUrl = form.get("return_url") ?? "";
  } else if (action === "cancel") {
    payment.status = "canceled";
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
