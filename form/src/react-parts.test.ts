// What the build leaves out of React: only what the page cannot reach, and never silently what it uses.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";

import { asModule } from "../react-modules.ts";
import { KINDS, missingPart, withoutUnusedParts } from "../react-parts.ts";

const REACT_DOM = readFileSync(
  createRequire(import.meta.url)
    .resolve("react-dom/package.json")
    .replace("package.json", "cjs/react-dom-client.production.js"),
  "utf8",
);

/** The same text without the differences that mean nothing. */
const packed = (code: string) => code.replace(/\s+/g, " ").trim();

describe("React without the parts that are not used", () => {
  test.each([
    [
      "an unused kind is never met",
      "f(31 === node.tag, 30 !== node.tag, 5 === node.tag)",
      "f(!1, !0, 5 === node.tag)",
    ],
    [
      "other numbers stay",
      "if (31 === node.length) f(node.tag === 13);",
      "if (31 === node.length) f(node.tag === 13);",
    ],
    ["no class component is met", "shouldConstruct(type) ? one() : two();", "!1 ? one() : two();"],
    [
      "the browser is known",
      '"object" === typeof process || f("function" === typeof WeakMap);',
      "!1 || f(!0);",
    ],
    [
      "a case goes with its statements",
      "switch (node.tag) { case 5: one(); break; case 30: two(); break; case 13: three(); }",
      "switch (node.tag) { case 5: one(); break; case 13: three(); }",
    ],
    [
      "a case that others fall into keeps its statements",
      "switch (node.tag) { case 5: one(); case 30: two(); break; }",
      "switch (node.tag) { case 5: one(); two(); break; }",
    ],
    [
      "a variable of a case that goes stays",
      "function f(node) { switch (node.tag) { case 30: var x = 1; return x; case 5: x = 2; return x; } }",
      "function f(node) {var x; switch (node.tag) { case 5: x = 2; return x; } }",
    ],
    [
      "a switch over other things keeps its cases",
      "switch (update.tag) { case 1: one(); break; case 3: two(); }",
      "switch (update.tag) { case 1: one(); break; case 3: two(); }",
    ],
    [
      "a hook that is not imported goes",
      "x = { readContext: r, useMemo: m, useState: s, useId: i };",
      "x = { readContext: r, useState: s, };",
    ],
    [
      "an event without a listener is not registered",
      'registerDirectEvent("onMouseEnter", ["mouseout"]); registerSimpleEvent("focusin", "onFocus");',
      "0; 0;",
    ],
    [
      "a list changes with one event, a checkbox with another",
      'registerTwoPhaseEvent("onChange", "change click focusin keydown".split(" "));',
      'registerTwoPhaseEvent("onChange", "change click".split(" "));',
    ],
    [
      "events that are passed on are those with listeners",
      'simpleEventPluginEvents = "abort auxClick click wheel".split(" "); simpleEventPluginEvents.push("scrollEnd");',
      'simpleEventPluginEvents = "cancel click close load mouseDown submit".split(" "); 0;',
    ],
    [
      "nothing listens to the selection",
      'listenToNativeEvent("selectionchange", !1, ownerDocument); listenToNativeEvent(domEventName, !0, root);',
      "0; listenToNativeEvent(domEventName, !0, root);",
    ],
  ])("%s", (_, code, expected) => {
    expect(packed(withoutUnusedParts(code))).toBe(packed(expected));
  });

  test("has the numbers that React gives the kinds", () => {
    const numbers = [
      /case REACT_ACTIVITY_TYPE:\s+return \(\s+\(type = createFiberImplClass\((\d+),/,
      /case REACT_STRICT_MODE_TYPE:\s+fiberTag = (\d+);/,
      /case REACT_PROFILER_TYPE:\s+return \(\s+\(type = createFiberImplClass\((\d+),/,
      /case REACT_SUSPENSE_LIST_TYPE:\s+return \(\s+\(type = createFiberImplClass\((\d+),/,
      /case REACT_VIEW_TRANSITION_TYPE:\s+return \(\s+\(type = mode \| 32\),\s+\(type = createFiberImplClass\((\d+),/,
      /case REACT_CONSUMER_TYPE:\s+fiberTag = (\d+);/,
      /case REACT_FORWARD_REF_TYPE:\s+fiberTag = (\d+);/,
      /case REACT_MEMO_TYPE:\s+fiberTag = (\d+);/,
      /shouldConstruct\(owner\) && \(fiberTag = (\d+)\)/,
    ].map((made) => Number(REACT_DOM.match(made)?.[1]));
    expect(numbers).toEqual([31, 8, 12, 19, 30, 9, 11, 14, 1]);
    expect(KINDS).toEqual(expect.arrayContaining(numbers));
    const used = [
      /case REACT_SUSPENSE_TYPE:\s+return \(\s+\(type = createFiberImplClass\((\d+),/,
      /case REACT_CONTEXT_TYPE:\s+fiberTag = (\d+);/,
      /case REACT_LAZY_TYPE:\s+fiberTag = (\d+);/,
    ].map((made) => Number(REACT_DOM.match(made)?.[1]));
    expect(used).toEqual([13, 10, 16]);
    expect(KINDS).not.toEqual(expect.arrayContaining(used));
  });
});

describe("a module of the page", () => {
  test.each([
    ['import { memo } from "react";', "memo"],
    ['import * as React from "react";', "*"],
    ['import { createPortal } from "react-dom";', "createPortal"],
    ['_jsx("title", {});', "<title>"],
    ['_jsx("input", { onKeyDown: f });', "onKeyDown"],
    ['_jsx("input", { onChange: f });', "onChange"],
    ['_jsx("input", { type: "radio", onChange: f });', null],
    ['_jsx("button", { onClick: f });', null],
    ["_jsx(Field, { onKeyDown: f });", null],
    ['jsxs("my-field", {});', "<my-field>"],
    ['import { useState } from "react"; jsx("input", {});', null],
    ['import { memo } from "./memory.ts";', null],
  ])("with %s is refused for %s", (code, problem) => {
    expect(missingPart(code)).toBe(problem);
  });
});

describe("a script of React as a module", () => {
  test.each([
    ['var React = require("react");', 'import * as React from "react";'],
    [
      "exports.memo = function () {};",
      "const exported$memo = function () {}; export { exported$memo as memo };",
    ],
    [
      "exports.now = 0; if (x) exports.now = 1; f(exports.now);",
      "let exported$now; exported$now = 0; if (x) exported$now = 1; f(exported$now); export { exported$now as now };",
    ],
  ])("%s", (code, expected) => {
    expect(packed(asModule(code))).toContain(packed(expected));
  });
});
