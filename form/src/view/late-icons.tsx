// The icons of the late views (`late-views.ts`), in the color of the text around them.

import { Icon } from "./icons.tsx";

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
