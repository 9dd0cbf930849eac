// The list of findings over the page. It stands in a shadow root, so that the page's styles do not change it.

import { EXPLANATIONS, type PageFinding } from "./findings.ts";

const STYLE = `
:host { all: initial; }
section { position: fixed; z-index: 2147483647; right: 12px; bottom: 12px; box-sizing: border-box;
  width: min(400px, calc(100vw - 24px)); max-height: min(60vh, 480px); overflow: auto; padding: 14px 16px;
  border: 2px solid #b3261e; border-radius: 10px; background: #fff; color: #1c1b1f; color-scheme: light;
  font: 14px/1.45 system-ui, sans-serif; box-shadow: 0 6px 24px #0004; }
header { display: flex; align-items: center; justify-content: space-between; gap: 8px; }
h2 { margin: 0; font-size: 15px; }
button { min-width: 44px; min-height: 36px; border: 1px solid #79747e; border-radius: 6px; background: #fff;
  color: #1c1b1f; font: inherit; cursor: pointer; }
button:focus-visible { outline: 3px solid #0b57d0; outline-offset: 1px; }
ul { margin: 0; padding: 0; list-style: none; }
li { margin-top: 12px; padding-left: 10px; border-left: 4px solid #b3261e; overflow-wrap: anywhere; }
li[data-severity=warning] { border-color: #8a5a00; }
p { margin: 2px 0 0; }
code { font: 12px ui-monospace, monospace; color: #49454f; }
@media print { section { display: none; } }
`;

/** Makes the function that shows findings over the page. Without findings there is no overlay. */
export function createOverlay(): (findings: readonly PageFinding[]) => void {
  const host = document.createElement("cardform-doctor");
  const root = host.attachShadow({ mode: "open" });
  // A strict policy of the page forbids a style element, not this.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  let shown = "";
  let closed = "";

  return (findings) => {
    const text = JSON.stringify(findings);
    if (text === shown) {
      return;
    }
    shown = text;
    if (findings.length === 0 || text === closed) {
      host.remove();
      return;
    }
    root.replaceChildren(
      panel(findings, () => {
        closed = text;
        host.remove();
      }),
    );
    document.documentElement.append(host);
  };
}

function panel(findings: readonly PageFinding[], close: () => void): HTMLElement {
  const section = document.createElement("section");
  section.lang = "en";
  section.dir = "ltr";
  section.setAttribute("aria-label", "Cardform doctor");
  const header = document.createElement("header");
  const button = element("button", "Close");
  button.addEventListener("click", close);
  const count = findings.length === 1 ? "1 finding" : `${findings.length} findings`;
  header.append(element("h2", `Cardform doctor: ${count}`), button);
  const list = document.createElement("ul");
  for (const { code, what } of findings) {
    const { severity, why, fix } = EXPLANATIONS[code];
    const item = document.createElement("li");
    item.dataset.code = code;
    item.dataset.severity = severity;
    const remedy = element("p", "");
    remedy.append(element("strong", "What to do: "), fix);
    item.append(element("strong", what), element("p", why), remedy, element("code", `${severity}: ${code}`));
    list.append(item);
  }
  section.append(header, list);
  return section;
}

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
