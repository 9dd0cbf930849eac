// Leaves out what React can do and this page never asks for: half of React is for kinds of components, hooks and elements
// that do not occur here. Each part is found by the constant that it stands behind, and that constant becomes false; the
// minifier then drops what cannot be reached. Nothing that remains is changed.
//
// What the page imports from React and which elements it draws is checked by the same build, so a part that comes into use
// cannot be missing unnoticed.

import type { Plugin } from "vite";

import { type Node, ScriptEdits, visitScript, walk } from "./script-edits.ts";

/** The version whose constants these are. Another one has to be looked at: are the kinds still numbered like this? */
const VERSION = "19.3.1";

/** What the page may import from React. */
const IMPORTED: Readonly<Record<string, readonly string[]>> = {
  react: [
    "Suspense",
    "createContext",
    "lazy",
    "useContext",
    "useEffect",
    "useLayoutEffect",
    "useRef",
    "useState",
    "useSyncExternalStore",
  ],
  "react-dom": ["flushSync"],
  "react-dom/client": ["createRoot", "hydrateRoot"],
};

/** Elements that React treats in a way of its own, which is left out. */
const ELEMENTS: readonly string[] = ["html", "head", "body", "link", "meta", "script", "style", "title"];

/** Kinds of nodes in React's tree that this page has none of: React's number of each. */
export const KINDS: readonly number[] = [
  1, // class components
  4, // portals
  8, // strict mode
  9, // consumers of a context as components
  11, // components with a forwarded ref
  12, // profilers
  14, // components with memo
  15, // components with memo and nothing else
  17, // class components that have failed
  19, // lists of suspended parts
  21, // scopes
  23, // hidden parts of old
  24, // caches
  25, // tracing
  26, // elements that move into the head
  27, // html, head and body
  28, // function components that have failed
  30, // view transitions
  31, // activities
];
/** A switch over other numbers than the kinds of nodes has none as high as this. */
const KIND_OF_ELEMENTS = 5;

/** The symbols of the same kinds. */
const SYMBOLS: readonly string[] = [
  "REACT_ACTIVITY_TYPE",
  "REACT_CONSUMER_TYPE",
  "REACT_FORWARD_REF_TYPE",
  "REACT_LEGACY_HIDDEN_TYPE",
  "REACT_MEMO_TYPE",
  "REACT_PORTAL_TYPE",
  "REACT_PROFILER_TYPE",
  "REACT_SCOPE_TYPE",
  "REACT_STRICT_MODE_TYPE",
  "REACT_SUSPENSE_LIST_TYPE",
  "REACT_TRACING_MARKER_TYPE",
  "REACT_VIEW_TRANSITION_TYPE",
];

/** Functions that ask for one of those, and are answered with no. */
const QUESTIONS: readonly string[] = ["shouldConstruct", "isHostHoistableType", "isCustomElement"];

/** What the page may listen to through React, and the browser's events behind each. Its inputs have listeners of their own. */
const HANDLERS: Readonly<Record<string, string>> = {
  onCancel: "cancel",
  // Checkboxes and radio buttons change with a click, lists with an event of that name. Texts would need six more.
  onChange: "change click",
  onClick: "click",
  onClose: "close",
  onLoad: "load",
  onMouseDown: "mouseDown",
  onSubmit: "submit",
};

/** The functions with which React registers what can be listened to, and the place of the handler's name in a call. */
const REGISTER: Readonly<Record<string, number>> = {
  registerDirectEvent: 0,
  registerSimpleEvent: 1,
  registerTwoPhaseEvent: 0,
};

/** What is always there in the browsers that the page is built for, and what never is. */
const TYPES: Readonly<Record<string, string>> = {
  AbortController: "function",
  MessageChannel: "function",
  WeakMap: "function",
  __REACT_DEVTOOLS_GLOBAL_HOOK__: "undefined",
  document: "object",
  performance: "object",
  process: "undefined",
  queueMicrotask: "function",
  reportError: "function",
  setImmediate: "undefined",
  window: "object",
};

/** Leaves out of react-dom what the page does not use, and fails the build if the page uses something of it. */
export function withoutUnusedReact(): Plugin {
  return {
    name: "cardform-without-unused-react",
    enforce: "post",
    transform(code, id) {
      if (/\/(react|react-dom|scheduler)\/cjs\//.test(id)) {
        if (id.includes("/react-dom-client.") && !code.includes(`"${VERSION}"`)) {
          this.error(
            `react-dom is not ${VERSION} any more: compare its kinds with those of form/react-parts.ts`,
          );
        }
        return { code: withoutUnusedParts(code), map: null };
      }
      const problem = id.includes("/node_modules/") || !/\.tsx?$/.test(id) ? null : missingPart(code);
      if (problem !== null) {
        this.error(`${id} uses ${problem}, which form/react-parts.ts leaves out of React`);
      }
      return null;
    },
  };
}

/** What the module uses that is left out of React, if anything. */
export function missingPart(code: string): string | null {
  let missing: string | null = null;
  visitScript(code, (node) => {
    if (node.type === "ImportDeclaration") {
      const allowed = IMPORTED[(node.source as Node).value as string];
      const names = (node.specifiers as Node[]).map(
        ({ imported }) => ((imported as Node | undefined)?.name as string) ?? "*",
      );
      missing ??= names.find((name) => allowed !== undefined && !allowed.includes(name)) ?? null;
    }
    if (node.type === "CallExpression" && /^_?jsxs?$/.test(String((node.callee as Node).name))) {
      const type = (node.arguments as Node[])[0]?.value;
      missing ??=
        typeof type === "string" && (ELEMENTS.includes(type) || type.includes("-")) ? `<${type}>` : null;
      missing ??= typeof type === "string" ? missingHandler(type, (node.arguments as Node[])[1]) : null;
    }
  });
  return missing;
}

/** The first listener of an element that React does not hear of, if there is one. */
function missingHandler(element: string, attributes: Node | undefined): string | null {
  const names = ((attributes?.properties ?? []) as Node[]).map(({ key }) =>
    String((key as Node | undefined)?.name),
  );
  const isText = element === "textarea" || (element === "input" && !hasChoice(attributes));
  return (
    names.find((name) => /^on[A-Z]/.test(name) && (!(name in HANDLERS) || (name === "onChange" && isText))) ??
    null
  );
}

/** Whether these are the attributes of a checkbox or a radio button. */
function hasChoice(attributes: Node | undefined): boolean {
  return ((attributes?.properties ?? []) as Node[]).some(
    ({ key, value }) =>
      (key as Node | undefined)?.name === "type" &&
      ["checkbox", "radio"].includes(String((value as Node).value)),
  );
}

/** React's script without what the page does not use. */
export function withoutUnusedParts(code: string): string {
  const edits = new ScriptEdits();
  visitScript(code, (node, around) => {
    switch (node.type) {
      case "BinaryExpression": {
        const value = comparison(node);
        if (value !== null) {
          edits.replace(node.start, node.end, value ? "!0" : "!1");
        }
        break;
      }
      case "CallExpression":
        if (QUESTIONS.includes(String((node.callee as Node).name))) {
          edits.replace(node.start, node.end, "!1");
        }
        dropEvents(node, edits);
        break;
      case "SwitchStatement":
        dropCases(node, around, edits);
        break;
      case "ObjectExpression":
        dropUncalled(node, edits);
        break;
    }
  });
  return edits.applied(code);
}

/** The value of a comparison that is the same for every page like this one; null if it is not. */
function comparison(node: Node): boolean | null {
  const [left, right] = [node.left as Node, node.right as Node];
  if (node.operator !== "===" && node.operator !== "!==") {
    return null;
  }
  const equal = node.operator === "===";
  if (left.type === "Literal" && right.type === "UnaryExpression" && right.operator === "typeof") {
    const type = TYPES[String((right.argument as Node).name)];
    return type === undefined ? null : (type === left.value) === equal;
  }
  const isUnusedKind = (isKind(left) && isUnused(right)) || (isKind(right) && isUnused(left));
  return isUnusedKind || [left, right].some(isUnusedSymbol) ? !equal : null;
}

/** Whether the expression has the kind of a node. */
function isKind(node: Node): boolean {
  return node.type === "Identifier"
    ? node.name === "tag"
    : (node.property as Node | undefined)?.name === "tag";
}

function isUnused(node: Node): boolean {
  return node.type === "Literal" && KINDS.includes(node.value as number);
}

function isUnusedSymbol(node: Node): boolean {
  return node.type === "Identifier" && SYMBOLS.includes(node.name as string);
}

/** Takes the cases of unused kinds out of a switch. Their variables stay: other cases may use them, too. */
function dropCases(node: Node, around: readonly Node[], edits: ScriptEdits): void {
  const cases = node.cases as Node[];
  const ofKinds =
    isKind(node.discriminant as Node) &&
    cases.some(({ test }) => ((test as Node | null)?.value as number) >= KIND_OF_ELEMENTS);
  const unused = cases.map(({ test }) => {
    const value = test as Node | null;
    return value !== null && (isUnusedSymbol(value) || (ofKinds && isUnused(value)));
  });
  /** Whether what comes next can be reached from the case before. */
  let fallsIn = false;
  const variables = new Set<string>();
  for (const [index, each] of cases.entries()) {
    const body = each.consequent as Node[];
    const isReached: boolean = fallsIn || !unused[index];
    if (unused[index]) {
      edits.replace(each.start, fallsIn && body[0] ? body[0].start : each.end, "");
      for (const statement of fallsIn ? [] : body) {
        walk(statement, [], ({ type, id }) => {
          if (type === "VariableDeclarator") {
            variables.add(String((id as Node).name));
          }
        });
      }
    }
    fallsIn = isReached && !endsThere(body);
  }
  if (variables.size > 0) {
    const owner = around.find(({ type }) => type.includes("Function"));
    const start = owner === undefined ? 0 : (owner.body as Node).start + 1;
    edits.replace(start, start, `var ${[...variables].join(", ")};`);
  }
}

/** Whether control never comes to the end of these statements. */
function endsThere(statements: readonly Node[]): boolean {
  const last = statements.at(-1);
  switch (last?.type) {
    case "BlockStatement":
      return endsThere(last.body as Node[]);
    case "BreakStatement":
    case "ContinueStatement":
    case "ReturnStatement":
    case "ThrowStatement":
      return true;
    default:
      return false;
  }
}

/**
 * Has React listen to nothing but what the page's elements have listeners for. Otherwise it hears each key press six times,
 * looks at every element around the input each time, and finds nobody to tell.
 */
function dropEvents(node: Node, edits: ScriptEdits): void {
  const { name, type, object, property } = node.callee as Node;
  const [first, second] = node.arguments as Node[];
  const place = REGISTER[String(name)];
  const handler = place === undefined ? undefined : (node.arguments as Node[])[place]?.value;
  if (typeof handler === "string") {
    const events = HANDLERS[handler];
    if (events === undefined) {
      edits.replace(node.start, node.end, "0");
    } else if (second !== undefined) {
      edits.replace(second.start, second.end, `"${events}".split(" ")`);
    }
  }
  // It listens to changes of the selection at the document.
  const isSelection = name === "listenToNativeEvent" && first?.value === "selectionchange";
  const of = object as Node | undefined;
  const isAddedLater = of?.name === "simpleEventPluginEvents" && (property as Node).name === "push";
  if (isSelection || isAddedLater) {
    edits.replace(node.start, node.end, "0");
  }
  if (type === "MemberExpression" && (property as Node).name === "split" && isListOfEvents(of?.value)) {
    const simple = Object.values(HANDLERS).filter((events) => !events.includes(" "));
    edits.replace(node.start, node.end, `"${simple.join(" ")}".split(" ")`);
  }
}

/** Whether this is React's list of the events that it only passes on. */
function isListOfEvents(list: unknown): boolean {
  return typeof list === "string" && list.startsWith("abort auxClick ");
}

/** Takes out of the table of hooks those that the page does not import, and out of that of the document what loads files. */
function dropUncalled(node: Node, edits: ScriptEdits): void {
  const properties = node.properties as Node[];
  const names = properties.map(({ key }) => String((key as Node | undefined)?.name));
  const hooks = names.includes("readContext") && names.includes("useState");
  const files = names.join("") === "frDCLmXSM";
  for (const [index, property] of properties.entries()) {
    const name = names[index] ?? "";
    if ((hooks && name.startsWith("use") && !IMPORTED.react?.includes(name)) || (files && name !== "f")) {
      edits.replace(property.start, properties[index + 1]?.start ?? property.end, "");
    }
  }
}
