// A merchant's client in TypeScript, generated from `/openapi.json`: its strict types allow what the server allows, and
// its calls work.

import { expect } from "vitest";

import { createProject } from "../src/merchant-project.ts";
import { test } from "../src/test.ts";

/** Installing and generating takes long on a busy machine with a slow registry. */
const PROJECT_TIMEOUT_MS = 300_000;
/** The generator and the client, and the compiler whose API the generator needs. All have permissive licences. */
const PACKAGES = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3"];

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  module: "nodenext",
  target: "es2023",
  lib: ["es2023", "dom", "dom.iterable"],
  types: [],
  outDir: "built",
};

/** Creates, reads, changes and cancels a charge, and handles errors. The last line of its output is what it learned. */
const PROGRAM = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Schemas = components["schemas"];
declare const process: { readonly env: Record<string, string | undefined> };
const { CARDFORM_URL: baseUrl = "", SECRET_KEY: key = "" } = process.env;
const cardform = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });

const order: Schemas["CreateCharge"] = {
  item_code: "gems-100",
  item_name: "100 gems",
  amount_value: "12.50",
  amount_currency: "USD",
  partner_reference: "order-17",
};
const created = await cardform.POST("/v1/charges", {
  params: { header: { "idempotency-key": "generated-client-17" } },
  body: order,
});
if (created.error) {
  throw new Error(created.error.error.message);
}
const { id, client_secret, payload, url } = created.data;
const path = { id };

// What is left out stays as it is.
const changed = await cardform.POST("/v1/charges/{id}", { params: { path }, body: { amount_value: "15.00" } });
const read = await cardform.GET("/v1/charges/{id}", { params: { path } });
const secret = await cardform.POST("/v1/charges/{id}/client-secret", { params: { path } });
const canceled = await cardform.POST("/v1/charges/{id}/cancel", { params: { path } });
const late = await cardform.POST("/v1/charges/{id}", { params: { path }, body: { amount_value: "1.00" } });
const wrong = await cardform.POST("/v1/charges", { body: { ...order, amount_value: "twelve" } });

/** What a merchant does about each error of a change. The types know all of them. */
function advice(error: NonNullable<typeof late.error>["error"]): string {
  switch (error.code) {
    case "charge_not_changeable":
      return "create another charge";
    case "idempotency_conflict":
      return "use another idempotency key";
    case "secret_key_invalid":
    case "merchant_inactive":
      return "ask the operator";
    case "charge_not_found":
    case "not_found":
    case "invalid_request":
    case "invalid_amount":
    case "payload_too_large":
    case "unsupported_media_type":
      return \`mend the request: \${error.field ?? error.message}\`;
    case "internal":
      return "send it again";
    default:
      return error satisfies never;
  }
}

/** A client without the form's page: a new card and a saved one. */
const saved: Schemas["PaymentMethod"] = {
  type: "card",
  id: "pm_1",
  shopper_id: "shopper-1",
  card: { security_code: "123" },
};
const typed: Schemas["PaymentMethod"] = {
  type: "card",
  card: { number: "4242424242424242", expiration_month: "12", expiration_year: "2030", security_code: "123" },
  shopper: { email: "ana@example.com", partner_shopper_id: "17", zip_code: "" },
};

/** A webhook's receiver. */
function deliver(event: Schemas["ChargeEvent"]): Schemas["ChargeStatus"] {
  return event.data.status;
}

// The types refuse what the server refuses.
// @ts-expect-error an amount is a decimal string.
void ({ ...order, amount_value: 12.5 } satisfies Schemas["CreateCharge"]);
// @ts-expect-error there is no reference.
void ({ item_code: "a", item_name: "b", amount_value: "1", amount_currency: "USD" } satisfies Schemas["CreateCharge"]);
// @ts-expect-error a charge has no such status.
void (read.data?.status === "paid");
// @ts-expect-error a card has no such decline.
void (read.data?.decline_code === "unlucky");
// @ts-expect-error a saved card's number is not sent.
void ({ ...saved, card: { number: "4242424242424242" } } satisfies Schemas["PaymentMethod"]);

const learned = {
  id,
  complete: [client_secret, payload, url, typed.type, typeof deliver].every((text) => text !== ""),
  changed: changed.data?.status,
  amount: read.data?.amount_value,
  decline: read.data?.decline_code,
  secret: secret.data?.client_secret !== client_secret,
  canceled: canceled.data?.status,
  late: late.error && [late.response.status, late.error.error.code, advice(late.error.error)],
  wrong: wrong.error && [wrong.response.status, wrong.error.error.code, wrong.error.error.field],
};
console.log(JSON.stringify(learned));
`;

test(
  "a generated client passes strict checks and manages a charge",
  async ({ service }) => {
    const description = await (await fetch(`${service.url}/openapi.json`)).text();
    const project = await createProject(
      {
        "openapi.json": description,
        "client.ts": PROGRAM,
        "tsconfig.json": JSON.stringify({ compilerOptions: STRICT, files: ["client.ts"] }),
      },
      PACKAGES,
    );
    await project.runNode("node_modules/openapi-typescript/bin/cli.js", "openapi.json", "--output", "api.ts");
    await project.runTool("tsc", "-p", "tsconfig.json");
    const learned = JSON.parse(
      await project.runNode(
        "--input-type=module",
        "-e",
        `process.env.CARDFORM_URL = ${JSON.stringify(service.url)};
         process.env.SECRET_KEY = ${JSON.stringify(service.secretKey)};
         await import("./built/client.js");`,
      ),
    ) as { id: string };
    expect(learned).toEqual({
      id: expect.stringMatching(/^ch_/),
      complete: true,
      changed: "created",
      amount: "15.00",
      decline: null,
      secret: true,
      canceled: "canceled",
      late: [409, "charge_not_changeable", "create another charge"],
      wrong: [422, "invalid_amount", "amount_value"],
    });
    expect((await service.merchant.charge(learned.id)).status).toBe("canceled");
    project.remove();
  },
  PROJECT_TIMEOUT_MS,
);
