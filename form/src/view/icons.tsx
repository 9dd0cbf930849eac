// The icons of the form, in the color of the text around them. They say nothing that the text does not say.

interface IconProps {
  readonly d: string;
  /** The width of the line; a filled shape has none. */
  readonly line?: number;
}

/** As tall as the text beside it. */
export function Icon({ d, line }: IconProps) {
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
