// What a merchant takes along beside the JSON: the React code, and a link to this theme.

import { useEffect, useState } from "react";
import { reactCodeOf } from "./code.ts";
import type { ThemePair } from "./theme.ts";

/** How long a button says "Copied", in milliseconds. */
const COPIED_MS = 2_000;

interface OutputProps {
  readonly pair: ThemePair;
  /** The address's fragment. */
  readonly link: string;
}

export function Output({ pair, link }: OutputProps) {
  return (
    <section className="panel output" aria-labelledby="output-title">
      <div className="output-head">
        <h2 id="output-title">Take it along</h2>
        <Copy label="Copy link" text={() => new URL(`#${link}`, location.href).href} />
      </div>
      <Code id="code-react" title="React, both modes" code={reactCodeOf(pair)} />
    </section>
  );
}

function Code({ id, title, code }: { readonly id: string; readonly title: string; readonly code: string }) {
  return (
    <div className="code">
      <div className="code-head">
        <h3 id={`${id}-title`}>{title}</h3>
        <Copy label="Copy" name={`Copy ${title}`} text={() => code} />
      </div>
      <section className="code-text" id={id} aria-labelledby={`${id}-title`}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard. */}
        <pre dir="ltr" tabIndex={0}>
          {code}
        </pre>
      </section>
    </div>
  );
}

interface CopyProps {
  readonly label: string;
  readonly name?: string;
  readonly text: () => string;
}

export function Copy({ label, name = label, text }: CopyProps) {
  const [says, setSays] = useState("");
  useEffect(() => {
    if (says === "") {
      return;
    }
    const timer = setTimeout(() => setSays(""), COPIED_MS);
    return () => clearTimeout(timer);
  }, [says]);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text());
      setSays("Copied");
    } catch {
      // A page over plain http has no clipboard.
      setSays("Not allowed here");
    }
  }
  return (
    <>
      <button className="quiet-button copy-button" type="button" aria-label={name} onClick={copy}>
        {says || label}
      </button>
      <span className="visually-hidden" role="status">
        {says}
      </span>
    </>
  );
}
