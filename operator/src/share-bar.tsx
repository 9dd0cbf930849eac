// A bar behind a table row. Screen readers skip it, because the row has the same value as a number.

interface ShareBarProps {
  /** From 0 to 1. */
  readonly share: number;
  readonly kind?: "plain" | "good" | "bad";
}

export function ShareBar({ share, kind = "plain" }: ShareBarProps) {
  return (
    <span className="bar-track" aria-hidden="true">
      <span className={`bar-fill bar-${kind}`} style={{ inlineSize: `${Math.min(1, share) * 100}%` }} />
    </span>
  );
}
