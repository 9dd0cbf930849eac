// Reads a script as a syntax tree, and takes pieces of its text away or replaces them.

import { parseAst } from "vite";

/** A node of a syntax tree in ESTree's form. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A node with those that it lies in, the nearest first. */
export type Visit = (node: Node, around: readonly Node[]) => void;

/** Parses a module and calls `visit` for each of its nodes, the outer ones first. */
export function visitScript(code: string, visit: Visit): void {
  walk(parseAst(code) as unknown as Node, [], visit);
}

/** Calls `visit` for the node and all that it contains. */
export function walk(node: Node, around: readonly Node[], visit: Visit): void {
  visit(node, around);
  const inside = [node, ...around];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) {
        walk(child, inside, visit);
      }
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

/** Changes to a script's text, whose positions are those of the original. */
export class ScriptEdits {
  private readonly edits: { start: number; end: number; text: string }[] = [];

  /** Puts `text` in the place of what is there. */
  replace(start: number, end: number, text: string): void {
    this.edits.push({ start, end, text });
  }

  /** The text with all changes. A change inside of a replaced piece has no effect. */
  applied(code: string): string {
    let result = "";
    let at = 0;
    for (const { start, end, text } of this.edits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      if (start >= at) {
        result += code.slice(at, start) + text;
        at = end;
      }
    }
    return result + code.slice(at);
  }
}
