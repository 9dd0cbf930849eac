// Runs one measurement of this folder, named by the first argument. Vite loads it, because the oldest Node that we support
// cannot load TypeScript.

import { join } from "node:path";
import { runnerImport } from "vite";

const [name] = process.argv.slice(2);
await runnerImport(join(import.meta.dirname, `${name}.ts`));
