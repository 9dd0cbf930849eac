// What happens before the script of tracking comes is kept, within bounds, and told when it does.

import { expect, it } from "vitest";

import { createBacklog, type FormActivity } from "./backlog.ts";

const activity = (type: string) => new Event(type);

it("hands over the buffered activity in order, then each new one", () => {
  const { add, listen } = createBacklog();
  const heard: FormActivity[] = [];
  const [a, b, c] = [activity("a"), activity("b"), activity("c")];
  add(a);
  add(b);
  listen((one) => heard.push(one));
  expect(heard).toEqual([a, b]);
  add(c);
  expect(heard).toEqual([a, b, c]);
});

it("is limited in size if the script never loads", () => {
  const { add, listen } = createBacklog();
  for (let index = 0; index < 1_000; index += 1) add(activity(String(index)));
  const heard: FormActivity[] = [];
  listen((one) => heard.push(one));
  expect(heard.map((one) => one instanceof Event && one.type)).toEqual(
    Array.from({ length: 200 }, (_, index) => String(index)),
  );
});
