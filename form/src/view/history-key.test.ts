// Which keys undo and redo.

import { expect, it } from "vitest";
import { historyKey, type Key } from "./history-key.ts";

const NO_KEY: Key = { key: "", code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

it.each<[string, Partial<Key>, ReturnType<typeof historyKey>]>([
  ["Ctrl+Z", { key: "z", ctrlKey: true }, "historyUndo"],
  ["⌘Z", { key: "z", metaKey: true }, "historyUndo"],
  ["Shift+Ctrl+Z", { key: "Z", ctrlKey: true, shiftKey: true }, "historyRedo"],
  ["Shift+⌘Z", { key: "z", metaKey: true, shiftKey: true }, "historyRedo"],
  ["Ctrl+Y", { key: "y", ctrlKey: true }, "historyRedo"],
  ["Ctrl+Z on a Russian keyboard", { key: "я", code: "KeyZ", ctrlKey: true }, "historyUndo"],
  ["Ctrl+Z on a German keyboard", { key: "z", code: "KeyY", ctrlKey: true }, "historyUndo"],
  ["z", { key: "z" }, null],
  ["Ctrl+V", { key: "v", code: "KeyV", ctrlKey: true }, null],
  ["AltGr+Z", { key: "z", ctrlKey: true, altKey: true }, null],
])("%s", (_, key, expected) => {
  expect(historyKey({ ...NO_KEY, ...key })).toBe(expected);
});
