// The icons of the form, in the color of the text around them. They add nothing to what the text says.

interface IconProps {
  readonly d: string;
  /** The width of the line; a filled shape has none. */
  readonly line?: number;
}

/** As tall as the text beside it. */
function Icon({ d, line }: IconProps) {
  return (
    <svg
      className={line ? "icon line-drawing" : "icon"}
      viewBox="0 0 16 16"
      strokeWidth={line}
      aria-hidden="true"
      focusable="false"
    >
      <path d={d} />
    </svg>
  );
}

export const ErrorIcon = () => (
  <Icon d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm-.75 3.25h1.5v5h-1.5v-5ZM8 12.1a.95.95 0 1 1 0-1.9.95.95 0 0 1 0 1.9Z" />
);

export const LockIcon = () => (
  <Icon d="M8 1a3.5 3.5 0 0 0-3.5 3.5V6H4a1.5 1.5 0 0 0-1.5 1.5v6A1.5 1.5 0 0 0 4 15h8a1.5 1.5 0 0 0 1.5-1.5v-6A1.5 1.5 0 0 0 12 6h-.5V4.5A3.5 3.5 0 0 0 8 1Zm2 5H6V4.5a2 2 0 1 1 4 0V6Z" />
);

export const CloseIcon = () => <Icon d="m4 4 8 8m0-8-8 8" line={1.75} />;

export const RemoveIcon = () => (
  <Icon
    d="M2.5 4h11M6 4V2.5h4V4m2.2 0-.6 9a.8.8 0 0 1-.8.8H5.2a.8.8 0 0 1-.8-.8l-.6-9m2.7 3v4m3-4v4"
    line={1.4}
  />
);

export const DoneMark = () => <Icon d="m3 8.5 3.2 3.2L13 4.8" line={2} />;

/** The icon of an outcome: a pale circle with a sign on it. */
function OutcomeIcon({ d, kind }: { readonly d: string; readonly kind?: "waiting" }) {
  return (
    <svg
      className={`outcome-icon line-drawing ${kind ?? ""}`}
      viewBox="0 0 48 48"
      aria-hidden="true"
      focusable="false"
    >
      <circle cx="24" cy="24" r="20" />
      <path d={d} />
    </svg>
  );
}

export const DoneIcon = () => <OutcomeIcon d="m15 24.5 6.2 6.2L33.5 18" />;

/** An exclamation mark. */
export const ClosedIcon = () => <OutcomeIcon d="M24 14v13m0 7v.1" />;

export const WaitingIcon = () => <OutcomeIcon d="M24 4a20 20 0 0 1 20 20" kind="waiting" />;
