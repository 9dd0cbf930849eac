// A bar behind a row of a table: the row's figures show the same value.

interface BarProps {
  /** 0 to 1. */
  readonly share: number;
  readonly kind?: "plain" | "good" | "bad";
}

export function Bar({ share, kind = "plain" }: BarProps) {
  return (
    <span className="bar-track" aria-hidden="true">
      <span className={`bar-fill bar-${kind}`} style={{ inlineSize: `${Math.min(1, share) * 100}%` }} />
    </span>
  );
}
