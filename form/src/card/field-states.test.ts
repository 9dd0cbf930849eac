// docs/field-states.md draws the machine that `step` is: every transition that can happen, and no other.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { detectBrand } from "./brand.ts";
import {
  type Field,
  type FieldContext,
  type FieldEvent,
  type FieldName,
  judge,
  READY,
  step,
} from "./field.ts";

const DRAWING = readFileSync(new URL("../../../docs/field-states.md", import.meta.url), "utf8");

const under = (number: string): FieldContext => ({
  experiments: { luhn: true, securityCodeLength: true, expiryLimit: true },
  today: { year: 2026, month: 7 },
  brand: detectBrand(number),
  country: "US",
});
const VISA = under("4242");
const AMERICAN_EXPRESS = under("3782");

/** Per field: the heading of its drawing, and texts that are empty, incomplete, wrong and valid. */
const SECTIONS: [FieldName, string, string[]][] = [
  ["cardHolderName", "Generic rule", ["", "J", "Ana 2", "Ana"]],
  ["cardPostalCode", "Generic rule", ["", "941", "941a", "94107"]],
  ["cardHolderEmail", "Generic rule", ["", "ana@", "a@@b", "ana@example.com"]],
  ["cardNumber", "Card number", ["", "4242", "4242424242424241", "4242424242424242"]],
  ["expiry", "Expiry", ["", "12", "13/28", "12/28"]],
  ["security", "Security code", ["", "12", "12345", "123", "1234"]],
];

interface Place {
  field: Field;
  context: FieldContext;
}

/** What can happen at a place, and the context that then holds. */
function events(name: FieldName, context: FieldContext, texts: string[]): [FieldEvent, FieldContext][] {
  const here: FieldEvent[] = [
    ...texts.map((text): FieldEvent => ({ type: "typed", text })),
    { type: "blurred" },
    { type: "submit-attempted" },
    { type: "key-blocked", errorId: "CardNumber_ContainsNonNumber" },
    { type: "brand-changed" },
  ];
  const other = context === VISA ? AMERICAN_EXPRESS : VISA;
  const switched: [FieldEvent, FieldContext][] =
    name === "security" ? [[{ type: "brand-changed" }, other]] : [];
  return [...here.map((event): [FieldEvent, FieldContext] => [event, context]), ...switched];
}

function label(name: FieldName, event: FieldEvent, field: Field, context: FieldContext): string {
  if (event.type === "key-blocked") return event.type;
  return `${event.type} ${judge(name, field.text, context).kind}`;
}

/** Every transition between two states that some sequence of events makes, as "From --> To: event". */
function transitions(name: FieldName, texts: string[]): Set<string> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const open: Place[] = [{ field: READY, context: VISA }];
  for (let place = open.pop(); place; place = open.pop()) {
    const key = JSON.stringify(place);
    if (seen.has(key)) continue;
    seen.add(key);
    for (const [event, context] of events(name, place.context, texts)) {
      const field = step(name, place.field, event, context);
      open.push({ field, context });
      if (field.state === place.field.state) continue;
      found.add(`${place.field.state} --> ${field.state}: ${label(name, event, field, context)}`);
    }
  }
  return found;
}

/** The transitions in the drawing under this heading. */
function drawn(heading: string): Set<string> {
  const section = DRAWING.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const diagram = /```mermaid\nstateDiagram-v2\n(.*?)```/s.exec(section)?.[1] ?? "";
  const arrows = [...diagram.matchAll(/^ *(\w+) --> (\w+): (.*)$/gm)];
  return new Set(
    arrows.flatMap(([, from, to, labels = ""]) =>
      labels.split(", ").map((one) => `${from} --> ${to}: ${one}`),
    ),
  );
}

it.each(SECTIONS)("%s is drawn under “%s”", (name, heading, texts) => {
  const made = transitions(name, texts);
  expect(made.size).toBeGreaterThan(0);
  expect([...drawn(heading)].sort()).toEqual([...made].sort());
});
