// Who hears an event.

import { afterEach, expect, it, vi } from "vitest";
import { createListeners } from "../src/listeners.ts";

interface Events {
  ring: number;
  knock: undefined;
}

afterEach(() => vi.unstubAllGlobals());

it("calls the listeners of that event, in order, until they are removed", () => {
  const { on, emit } = createListeners<Events>();
  const heard: string[] = [];
  const leave = on("ring", (times) => heard.push(`first ${times}`));
  on("ring", (times) => heard.push(`second ${times}`));
  on("knock", () => heard.push("knock"));
  emit("ring", 1);
  leave();
  leave();
  emit("ring", 2);
  expect(heard).toEqual(["first 1", "second 1", "second 2"]);
});

it("counts the same function twice when it listens twice", () => {
  const { on, emit } = createListeners<Events>();
  const listener = vi.fn();
  const leave = on("ring", listener);
  on("ring", listener);
  leave();
  emit("ring", 1);
  expect(listener).toHaveBeenCalledTimes(1);
});

it("goes on after a listener that throws, and reports its error", () => {
  const reportError = vi.fn();
  vi.stubGlobal("reportError", reportError);
  const { on, emit } = createListeners<Events>();
  const error = new Error("listener's own");
  const second = vi.fn();
  on("ring", () => {
    throw error;
  });
  on("ring", second);
  emit("ring", 1);
  expect(reportError).toHaveBeenCalledWith(error);
  expect(second).toHaveBeenCalledWith(1);
});

it("does not tell one who left while the others were being told", () => {
  const { on, emit } = createListeners<Events>();
  const second = vi.fn();
  on("ring", () => leave());
  const leave = on("ring", second);
  emit("ring", 1);
  expect(second).not.toHaveBeenCalled();
});
