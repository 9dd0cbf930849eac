// Keeps what happens on the page until the script that tells of it has come; that one is loaded last.

import type { FormStep } from "../form-store.ts";

/** A step of the form's machine, or a click. */
export type FormActivity = FormStep | Event;

export interface Backlog {
  readonly tell: (activity: FormActivity) => void;
  /** Hands over what has happened so far, and from now on what happens when it does. */
  readonly listen: (listener: (activity: FormActivity) => void) => void;
}

/** More than a shopper does before the script comes; should it never come, no more is kept. */
const KEPT_MAX = 200;

/** Nothing has happened yet. */
export function createBacklog(): Backlog {
  const kept: FormActivity[] = [];
  let hear = (activity: FormActivity) => {
    if (kept.length < KEPT_MAX) {
      kept.push(activity);
    }
  };
  return {
    tell: (activity) => hear(activity),
    listen: (listener) => {
      hear = listener;
      kept.splice(0).forEach(listener);
    },
  };
}
