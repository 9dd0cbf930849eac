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

export type FormStore = ReturnType<typeof createFormStore>;

/** An event at the form, with the states before and after it. */
export interface FormStep {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly event: FormEvent;
  readonly before: FormState;
  readonly after: FormState;
}

export interface StoreEnvironment {
  readonly today: () => Month;
  /** Draws the view at once. */
  readonly drawn: (change: () => void) => void;
  readonly onStep?: (step: FormStep) => void;
}

export function today(): Month {
  const now = new Date();
  return { year: now.getFullYear(), month: now.getMonth() + 1 };
}

export function createFormStore(config: FormConfig, environment: StoreEnvironment) {
  let state = initialForm(config, environment.today());
  let run = (_effect: Effect, _state: FormState): void => {};
  const listeners = new Set<() => void>();
  return {
    config,
    configure: (changed: FormConfig) => void Object.assign(config, changed),
    state: () => state,
    today: environment.today,
    /** Gives an event to the machine. The view draws the new state before the effects run. */
    send: (event: FormEvent) => {
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
    /** Calls `listener` after each change. The returned function stops that. */
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Sets the function that carries out effects. Effects before that are dropped. */
    onEffect: (runner: typeof run) => {
      run = runner;
    },
  };
}
