// The card numbers of the simulator, for tests that try every one of them.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "../../crates/demo/src/simulator/cards.rs");

/** Every test card of the simulator, as digits. */
export const SIMULATOR_NUMBERS: readonly string[] = [
  ...readFileSync(FILE, "utf8").matchAll(/"(\d{12,19})"/g),
].map(([, digits = ""]) => digits);
