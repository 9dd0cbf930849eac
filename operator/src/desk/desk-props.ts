// What every part of the desk gets.

import type { OperatorView } from "../../../form/generated/wire.ts";

export interface DeskProps {
  readonly operatorKey: string;
  readonly person: OperatorView;
  /** The key is no longer valid. */
  readonly onKeyRefused: () => void;
}
