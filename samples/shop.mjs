// A shop's server: creates charges, checks webhooks, delivers each paid order once. Start it with `node shop.mjs`.
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const { CARDFORM_URL, CARDFORM_SECRET_KEY, CARDFORM_WEBHOOK_SECRET = "", PORT = "3000" } = process.env;

/** Calls the merchant API and passes its answer on. */
async function pass(response, path, body, headers) {
  const answer = await fetch(`${CARDFORM_URL}/v1/charges${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${CARDFORM_SECRET_KEY}`,
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
}

function createCharge(response) {
  const order = randomUUID();
  const item = { item_code: "gems-100", item_name: "100 gems" };
  const amount = { amount_value: "12.50", amount_currency: "USD" };
  // The same key gets the same charge if an answer is lost and this is sent again.
  return pass(response, "", { ...item, ...amount, partner_reference: order }, { "idempotency-key": order });
}

/** The event; none if it is not from Cardform, or its time is more than five minutes away. */
function verified(
  { "webhook-id": id, "webhook-timestamp": sent, "webhook-signature": signatures = "" },
  body,
) {
  const isRecent = Math.abs(Date.now() / 1000 - Number(sent)) <= 300;
  if (!isRecent || CARDFORM_WEBHOOK_SECRET === "") return undefined;
  const key = Buffer.from(CARDFORM_WEBHOOK_SECRET.replace("whsec_", ""), "base64");
  const right = Buffer.from(
    `v1,${createHmac("sha256", key).update(`${id}.${sent}.${body}`).digest("base64")}`,
  );
  const given = signatures.split(" ").map((signature) => Buffer.from(signature));
  return given.some((one) => one.length === right.length && timingSafeEqual(one, right))
    ? JSON.parse(body)
    : undefined;
}

/** An event can arrive twice. Only the first one creates the file. In a shop, use a unique row of the database. */
function deliverOnce(charge) {
  mkdirSync("delivered", { recursive: true });
  try {
    writeFileSync(`delivered/${charge.id}`, charge.partner_reference, { flag: "wx" });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}

async function answer(request, response) {
  const path = `${request.method} ${request.url}`;
  if (path === "GET /") return response.end(readFileSync("shop.html"));
  if (path === "POST /orders") return createCharge(response);
  // In a shop, check first that this order belongs to the shopper who asks.
  const [, charge] = path.match(/^POST \/orders\/(\w+)\/client-secret$/) ?? [];
  if (charge) return pass(response, `/${charge}/client-secret`);
  const event = path === "POST /webhooks" ? verified(request.headers, await text(request)) : undefined;
  if (event?.type === "charge.succeeded" && !event.data.test) deliverOnce(event.data);
  response.writeHead(event ? 204 : 400).end();
}

const server = createServer((...both) => answer(...both).catch(() => both[1].writeHead(500).end()));
server.listen(Number(PORT), "127.0.0.1", () =>
  console.info(`listening on http://127.0.0.1:${server.address().port}`),
);
