// What undo and redo bring back.

import { describe, expect, it } from "vitest";
import type { Edit } from "./edit.ts";
import { EditHistory } from "./edit-history.ts";

const at = (text: string, caret = text.length): Edit => ({ text, start: caret, end: caret });

describe("undo", () => {
  it("takes back a run of typed characters at once, and redo brings it back", () => {
    const history = new EditHistory();
    history.record(at(""), at("4"), "insertText");
    history.record(at("4"), at("42"), "insertText");
    expect(history.undo()).toEqual(at(""));
    expect(history.undo()).toBeNull();
    expect(history.redo()).toEqual(at("42"));
    expect(history.redo()).toBeNull();
  });

  it("takes back what was typed after the caret was moved on its own", () => {
    const history = new EditHistory();
    history.record(at(""), at("42"), "insertText");
    history.record(at("42", 0), at("542", 1), "insertText");
    expect(history.undo()).toEqual(at("42", 0));
    expect(history.undo()).toEqual(at(""));
  });

  it("takes back each paste on its own", () => {
    const history = new EditHistory();
    history.record(at(""), at("42"), "insertFromPaste");
    history.record(at("42"), at("4242"), "insertFromPaste");
    expect(history.undo()).toEqual(at("42"));
  });

  it("brings back a selection that was typed over", () => {
    const history = new EditHistory();
    history.record({ text: "4242", start: 0, end: 4 }, at("5"), "insertText");
    expect(history.undo()).toEqual({ text: "4242", start: 0, end: 4 });
  });

  it("has nothing to redo once something else was typed", () => {
    const history = new EditHistory();
    history.record(at(""), at("42"), "insertFromPaste");
    history.undo();
    history.record(at(""), at("5"), "insertText");
    expect(history.redo()).toBeNull();
    expect(history.undo()).toEqual(at(""));
  });

  it("remembers the last hundred steps", () => {
    const history = new EditHistory();
    for (let step = 0; step < 150; step++) {
      history.record(at(`${step}`), at(`${step + 1}`), "insertFromPaste");
    }
    let oldest = history.undo();
    let count = 0;
    for (let edit = oldest; edit !== null; edit = history.undo()) {
      oldest = edit;
      count++;
    }
    expect([count, oldest?.text]).toEqual([100, "50"]);
  });

  it("is empty again after forgetting", () => {
    const history = new EditHistory();
    expect(history.isEmpty).toBe(true);
    history.record(at(""), at("4"), "insertText");
    expect(history.isEmpty).toBe(false);
    history.undo();
    expect(history.isEmpty).toBe(false);
    history.forget();
    expect(history.isEmpty).toBe(true);
    expect(history.redo()).toBeNull();
  });
});
