// Recognizes the keys of undo and redo: Ctrl+Z, Shift+Ctrl+Z and Ctrl+Y, or the same with ⌘.

/** The parts of a key event that are used here. */
export type Key = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** Undo or redo; null for every other key. */
export function historyKey(event: Key): "historyUndo" | "historyRedo" | null {
  // Ctrl with Alt is AltGr, which types a character.
  if (event.ctrlKey === event.metaKey || event.altKey) return null;
  switch (letter(event)) {
    case "z":
      return event.shiftKey ? "historyRedo" : "historyUndo";
    case "y":
      return event.shiftKey ? null : "historyRedo";
    default:
      return null;
  }
}

/** The Latin letter. On a keyboard of another script, the letter at the same place of a Latin one. */
function letter({ key, code }: Key): string {
  return /^[\0-\x7f]/.test(key) ? key.toLowerCase() : code.replace(/^Key/, "").toLowerCase();
}
