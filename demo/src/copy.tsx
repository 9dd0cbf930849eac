// A button that copies a text.

import { useEffect, useState } from "react";

/** How long the button says "Copied", in milliseconds. */
const COPIED_MS = 2_000;

interface CopyProps {
  readonly label: string;
  /** The button's name for screen readers, if the label is not enough. */
  readonly name?: string;
  readonly text: () => string;
}

export function Copy({ label, name = label, text }: CopyProps) {
  const [result, setResult] = useState("");
  useEffect(() => {
    if (result === "") {
      return;
    }
    const timer = setTimeout(() => setResult(""), COPIED_MS);
    return () => clearTimeout(timer);
  }, [result]);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text());
      setResult("Copied");
    } catch {
      // A page over plain http has no clipboard.
      setResult("Not allowed here");
    }
  }
  return (
    <>
      <button className="copy" type="button" aria-label={name} onClick={copy}>
        {result || label}
      </button>
      <span className="visually-hidden" role="status">
        {result}
      </span>
    </>
  );
}
