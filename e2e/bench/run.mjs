// Runs one measurement of this folder, named by the first argument, in Node, which cannot load TypeScript by itself.

import { join } from "node:path";
import { runnerImport } from "vite";

const [name] = process.argv.slice(2);
await runnerImport(join(import.meta.dirname, `${name}.ts`));
