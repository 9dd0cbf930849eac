// The parts of a theme to copy beside the JSON: the React code, and a link to this theme.

import { Copy } from "../copy.tsx";
import { reactCodeOf } from "./code.ts";
import type { ThemePair } from "./theme.ts";

interface OutputProps {
  readonly pair: ThemePair;
  /** The address's fragment. */
  readonly link: string;
}

export function Output({ pair, link }: OutputProps) {
  const code = reactCodeOf(pair);
  return (
    <section className="panel" aria-labelledby="output-title">
      <div className="code-head">
        <h2 id="output-title">Take it along</h2>
        <Copy label="Copy link" text={() => new URL(`#${link}`, location.href).href} />
      </div>
      <div className="code-head">
        <h3 id="code-react-title">React, both modes</h3>
        <Copy label="Copy" name="Copy React, both modes" text={() => code} />
      </div>
      <section className="code" id="code-react" aria-labelledby="code-react-title">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard. */}
        <pre dir="ltr" tabIndex={0}>
          {code}
        </pre>
      </section>
    </section>
  );
}
