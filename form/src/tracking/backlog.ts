// Keeps what happens on the page until the script that tells of it has come; that one is loaded last.

import type { FormStep } from "../form-store.ts";

/** A step of the form's machine, or a click. */
export type Happening = FormStep | Event;

export interface Backlog {
  readonly tell: (happening: Happening) => void;
  /** Hands over what has happened so far, and from now on what happens when it does. */
  readonly listen: (listener: (happening: Happening) => void) => void;
}

/** More than a shopper does before the script comes; should it never come, no more is kept. */
const KEPT_MAX = 200;

/** Nothing has happened yet. */
export function createBacklog(): Backlog {
  const kept: Happening[] = [];
  let hear = (happening: Happening) => {
    if (kept.length < KEPT_MAX) {
      kept.push(happening);
    }
  };
  return {
    tell: (happening) => hear(happening),
    listen: (listener) => {
      hear = listener;
      kept.splice(0).forEach(listener);
    },
  };
}
