// Calls the shop's own server, with the types of its answers. Only that server calls the merchant API.

export interface Product {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The amount to show: "$12.50". */
  readonly amount_text: string;
}

/** A test card: it pays or is declined, and no money moves. */
export interface TestCard {
  readonly number: string;
  readonly label: string;
  /** `approved`, or the decline code. */
  readonly outcome: string;
}

/** A new order and its charge. */
export interface Order {
  readonly order_id: string;
  readonly payload: string;
  /** The standalone payment page of the charge. */
  readonly url: string;
  readonly amount_text: string;
}

/** An order's status, as the merchant API reported it to the shop's server. */
export interface OrderState {
  /** The product's id. */
  readonly product: string;
  /** The charge's status: `succeeded`. */
  readonly status: string;
  readonly amount_text: string;
}

/** A call of the shop's server to the merchant API, or a webhook that it got. No secret is in it. */
export interface ServerCall {
  readonly number: number;
  readonly at_ms: number;
  readonly kind: "request" | "webhook";
  /** `POST /v1/charges`, or an event's type. */
  readonly name: string;
  /** 0 if there was no answer. */
  readonly status: number;
  readonly took_ms: number;
  readonly sent: unknown;
  readonly answer: unknown;
}

export const fetchProducts = (): Promise<Product[]> => request("GET", "/demo/products");

export const fetchTestCards = (): Promise<TestCard[]> => request("GET", "/demo/test-cards");

/** Orders one piece of the product with the id `product` for the shopper with the id `shopper`, or for a guest. */
export const createOrder = (product: string, shopper?: string): Promise<Order> =>
  request("POST", "/demo/orders", { product, shopper });

export const fetchOrder = (orderId: string, signal: AbortSignal): Promise<OrderState> =>
  request("GET", `/demo/orders/${encodeURIComponent(orderId)}`, undefined, signal);

/** The calls and webhooks of the shop's server about the order, the oldest first. */
export const fetchServerLog = (orderId: string, signal: AbortSignal): Promise<ServerCall[]> =>
  request("GET", `/demo/orders/${encodeURIComponent(orderId)}/log`, undefined, signal);

/** A new client secret for the order's charge. The first one expires after an hour. */
export async function fetchClientSecret(orderId: string): Promise<string> {
  const path = `/demo/orders/${encodeURIComponent(orderId)}/client-secret`;
  return (await request<{ client_secret: string }>("POST", path)).client_secret;
}

/** How long the shop's server may take, in milliseconds. */
const ANSWER_MS_MAX = 15_000;

async function request<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> {
  const limit = AbortSignal.timeout(ANSWER_MS_MAX);
  const response = await fetch(path, {
    method,
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
    ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  if (!response.ok) {
    throw new Error(`The shop's server answered ${response.status}.`);
  }
  return response.json();
}
