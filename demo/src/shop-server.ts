// The shop's own server: what the page asks it, and what it answers. Only this server calls the merchant API.

/** Something the shop sells. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** A decimal string in the currency's major unit: "12.50". */
  readonly amount_value: string;
  /** ISO 4217. */
  readonly amount_currency: string;
  /** The amount to show: "$12.50". */
  readonly amount_text: string;
}

/** A card that pays or is declined without money, for tests. */
export interface TestCard {
  readonly number: string;
  readonly label: string;
  /** `approved`, or the code it is declined with. */
  readonly outcome: string;
}

/** An order that is about to be paid, and the charge that pays it. */
export interface Order {
  readonly order_id: string;
  readonly charge_id: string;
  readonly payload: string;
  readonly client_secret: string;
  /** The standalone payment page of the charge. */
  readonly url: string;
  readonly amount_text: string;
}

/** An order's status, as the merchant API reported it to the shop's server. */
export interface OrderState {
  readonly order_id: string;
  /** The charge's status: `succeeded`. */
  readonly status: string;
  readonly amount_text: string;
  readonly decline_code: string | null;
}

/** What is for sale. */
export const fetchProducts = (): Promise<Product[]> => ask("GET", "/demo/products");

/** The test cards. */
export const fetchTestCards = (): Promise<TestCard[]> => ask("GET", "/demo/test-cards");

/** Orders one of `product` for the shopper of this id. */
export const createOrder = (product: string, shopper: string): Promise<Order> =>
  ask("POST", "/demo/orders", { product, shopper });

/** The order's status. */
export const fetchOrder = (orderId: string, signal: AbortSignal): Promise<OrderState> =>
  ask("GET", `/demo/orders/${encodeURIComponent(orderId)}`, undefined, signal);

/** A fresh client secret for the order's charge, so that a shopper who took an hour can still pay. */
export async function fetchClientSecret(orderId: string): Promise<string> {
  const path = `/demo/orders/${encodeURIComponent(orderId)}/client-secret`;
  return (await ask<{ client_secret: string }>("POST", path)).client_secret;
}

/** How long the shop's server may take, in milliseconds. */
const ANSWER_MS_MAX = 15_000;

async function ask<Answer>(
  method: string,
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Answer> {
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
