// Holds the form's state for the machine, the view and the effects.

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
  /** The current month. */
  readonly today: () => Month;
  /** Changes the settings of the open form. */
  readonly configure: (config: FormConfig) => void;
  /** Gives an event to the machine. The view draws the new state before the effects run. */
  readonly send: (event: FormEvent) => void;
  /** Calls `listener` after each change. The returned function stops that. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Sets the function that carries out effects. Effects before that are dropped. */
  readonly onEffect: (run: (effect: Effect, state: FormState) => void) => void;
}

/** An event at the form, with the states before and after it. */
export interface FormStep {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly event: FormEvent;
  readonly before: FormState;
  readonly after: FormState;
}

/** What the store needs from its environment: the month, a function that draws the view at once, a listener for steps. */
export interface StoreEnvironment {
  readonly today: () => Month;
  readonly drawn: (change: () => void) => void;
  readonly onStep?: (step: FormStep) => void;
}

/** A store in the machine's initial state. */
export function createFormStore(config: FormConfig, environment: StoreEnvironment): FormStore {
  let state = initialForm(config, environment.today());
  let run: (effect: Effect, state: FormState) => void = () => {};
  const listeners = new Set<() => void>();
  return {
    config,
    configure: (changed) => Object.assign(config, changed),
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
      environment.onStep?.({ at: Date.now(), event, before, after: step.state });
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
