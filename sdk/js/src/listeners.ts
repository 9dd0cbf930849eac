// Typed events and their listeners.

/** Stops a listener. */
export type Unsubscribe = () => void;

/** Listeners to the events in `Events`, which maps each name to its detail. */
export interface Listeners<Events> {
  /** Calls `listener` at each such event until the returned function is called. */
  on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): Unsubscribe;
  /** Calls every listener. If one throws, its error is reported and the others are still called. */
  emit<Name extends keyof Events>(name: Name, detail?: Events[Name]): void;
  /** Removes every listener. */
  clear(): void;
}

/** Without any listener. */
export function createListeners<Events>(): Listeners<Events> {
  type Entry = { name: keyof Events; listener: (detail: never) => void };
  const entries = new Set<Entry>();
  return {
    on(name, listener) {
      // Each call adds an entry, so that the same function can be added twice and removed once.
      const entry: Entry = { name, listener };
      entries.add(entry);
      return () => entries.delete(entry);
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
