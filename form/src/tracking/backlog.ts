// Buffers activity on the page until the tracking script has loaded, which is loaded last.

import type { FormStep } from "../form-store.ts";

/** A step of the form's machine, or a click. */
export type FormActivity = FormStep | Event;

export type Backlog = ReturnType<typeof createBacklog>;

/** More than a shopper does before the script loads. If it never loads, no more is kept. */
const KEPT_MAX = 200;

export function createBacklog() {
  const kept: FormActivity[] = [];
  let hear = (activity: FormActivity) => {
    if (kept.length < KEPT_MAX) {
      kept.push(activity);
    }
  };
  return {
    add: (activity: FormActivity) => hear(activity),
    /** Hands over everything so far, and from now on each activity at once. */
    listen: (listener: (activity: FormActivity) => void) => {
      hear = listener;
      kept.splice(0).forEach(listener);
    },
  };
}
