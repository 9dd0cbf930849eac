// Makes modules of React's files, which are CommonJS: then the build leaves out every export that nobody imports.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Plugin } from "vite";

import { type Node, ScriptEdits, visitScript } from "./script-edits.ts";

/** The production file of each entry point that the page uses. */
const FILES: Readonly<Record<string, string>> = {
  react: "react/cjs/react.production.js",
  "react/jsx-runtime": "react/cjs/react-jsx-runtime.production.js",
  "react-dom": "react-dom/cjs/react-dom.production.js",
  "react-dom/client": "react-dom/cjs/react-dom-client.production.js",
  scheduler: "scheduler/cjs/scheduler.production.js",
};

/** Has React's entry points resolve to modules. */
export function reactAsModules(): Plugin {
  const folder = createRequire(import.meta.url)
    .resolve("react/package.json")
    .replace("react/package.json", "");
  const files = new Set(Object.values(FILES).map((file) => folder + file));
  return {
    name: "cardform-react-as-modules",
    enforce: "pre",
    resolveId: (id) => {
      const file = FILES[id];
      return file === undefined ? null : folder + file;
    },
    load: (id) => (files.has(id) ? asModule(readFileSync(id, "utf8")) : null),
  };
}

/** The same script as a module: `exports.x = y` becomes an export, `require("x")` an import. */
export function asModule(code: string): string {
  const edits = new ScriptEdits();
  const uses = new Map<string, [Node, readonly Node[]][]>();
  visitScript(code, (node, around) => {
    const required = requiredModules(node);
    if (required !== null) {
      edits.replace(node.start, node.end, required);
    }
    const name = exportName(node);
    if (name !== null) {
      uses.set(name, [...(uses.get(name) ?? []), [node, around]]);
    }
  });
  let variables = "";
  for (const [name, all] of uses) {
    const assignments = all.filter(
      ([node, [parent]]) => parent?.type === "AssignmentExpression" && parent.left === node,
    );
    const [[only, around] = []] = assignments;
    const isConstant = assignments.length === 1 && around?.[2]?.type === "Program";
    variables += isConstant ? "" : `let exported$${name};\n`;
    for (const [node] of all) {
      edits.replace(node.start, node.end, `${isConstant && node === only ? "const " : ""}exported$${name}`);
    }
  }
  const list = [...uses.keys()].map((name) => `exported$${name} as ${name}`).join(", ");
  return `${variables}${edits.applied(code)}\nexport { ${list} };\n`;
}

/** The name in `exports.name`. */
function exportName(node: Node): string | null {
  const object = node.object as Node | undefined;
  return node.type === "MemberExpression" && object?.type === "Identifier" && object.name === "exports"
    ? ((node.property as Node).name as string)
    : null;
}

/** The imports that do what `var name = require("module"), …` does. */
function requiredModules(node: Node): string | null {
  if (node.type !== "VariableDeclaration") {
    return null;
  }
  const imports = (node.declarations as Node[]).map(({ id, init }) => {
    const { callee, arguments: [module] = [] } = (init ?? {}) as { callee?: Node; arguments?: Node[] };
    return callee?.name === "require"
      ? `import * as ${(id as Node).name} from ${JSON.stringify(module?.value)};`
      : null;
  });
  return imports.includes(null) ? null : imports.join("\n");
}
