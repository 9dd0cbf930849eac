// Holds the form's state between the machine, the view and the effects.

import type { Month } from "./card/expiry.ts";
import {
  type Effect,
  type FormConfig,
  type FormEvent,
  type FormState,
  initialForm,
  next,
} from "./card/form.ts";

export interface FormStore {
  readonly config: FormConfig;
  readonly state: () => FormState;
  /** The month it is. */
  readonly today: () => Month;
  /** Tells the machine what happened. The view has drawn the new state before the effects run. */
  readonly send: (event: FormEvent) => void;
  /** Calls `listener` after each change; returns the way to stop. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Says who carries out effects; those before are nobody's. */
  readonly onEffect: (run: (effect: Effect, state: FormState) => void) => void;
}

/** Something that happened to the form, and what the machine made of it. */
export interface FormStep {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly event: FormEvent;
  readonly before: FormState;
  readonly after: FormState;
}

/** What the store has of the world around it: the time, a way to have the view drawn at once, and who hears of each step. */
export interface StoreEnvironment {
  readonly today: () => Month;
  readonly drawn: (change: () => void) => void;
  readonly tell?: (step: FormStep) => void;
}

/** A store in the machine's initial state. */
export function createFormStore(config: FormConfig, environment: StoreEnvironment): FormStore {
  let state = initialForm(config, environment.today());
  let run: (effect: Effect, state: FormState) => void = () => {};
  const listeners = new Set<() => void>();
  return {
    config,
    state: () => state,
    today: environment.today,
    send: (event) => {
      const before = state;
      const step = next(config, state, event, environment.today());
      if (step.state !== state) {
        state = step.state;
        environment.drawn(() => {
          for (const listener of listeners) {
            listener();
          }
        });
      }
      environment.tell?.({ at: Date.now(), event, before, after: step.state });
      for (const effect of step.effects) {
        run(effect, step.state);
      }
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onEffect: (runner) => {
      run = runner;
    },
  };
}
