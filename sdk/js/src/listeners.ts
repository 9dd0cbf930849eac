// Typed events: who listens to what, and telling them.

/** A function that takes an event back. */
export type Unsubscribe = () => void;

/** Listeners to the events that `Events` names, by their details. */
export interface Listeners<Events> {
  /** Calls `listener` at each such event until the returned function is called. */
  on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): Unsubscribe;
  /** Tells every listener. One that throws is reported as an uncaught error and keeps nobody else from hearing. */
  emit<Name extends keyof Events>(name: Name, detail: Events[Name]): void;
  /** Forgets every listener. */
  clear(): void;
}

/** Nobody listens yet. */
export function createListeners<Events>(): Listeners<Events> {
  type Entry = { name: keyof Events; listener: (detail: never) => void };
  const entries = new Set<Entry>();
  return {
    on(name, listener) {
      // An entry of its own, so that the same function can listen twice and leave once.
      const entry: Entry = { name, listener };
      entries.add(entry);
      return () => {
        entries.delete(entry);
      };
    },
    emit(name, detail) {
      for (const entry of [...entries]) {
        if (entry.name === name && entries.has(entry)) {
          try {
            entry.listener(detail as never);
          } catch (error) {
            reportError(error);
          }
        }
      }
    },
    clear() {
      entries.clear();
    },
  };
}
