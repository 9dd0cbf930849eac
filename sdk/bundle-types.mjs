// Writes the types of one entry of an SDK package into one file that imports nothing but React:
// `node ../bundle-types.mjs ENTRY OUTPUT`, from the package's folder.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

const [entry, output] = process.argv.slice(2).map((path) => resolve(path));
const root = resolve(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "cardform-types-"));
try {
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  const emit = ["--noEmit", "false", "--emitDeclarationOnly", "--declaration"];
  execFileSync(
    process.execPath,
    [join(typescript, "bin/tsc"), "-p", "tsconfig.json", ...emit, "--rootDir", root, "--outDir", scratch],
    { stdio: "inherit" },
  );
  const declared = join(scratch, relative(root, entry)).replace(/\.tsx?$/, ".d.ts");
  // The React package contains the SDK, so its types do, too.
  writeFileSync(
    declared,
    readFileSync(declared, "utf8")
      .replaceAll('"@cardform/js"', '"../../js/src/index.ts"')
      .replaceAll('"@cardform/js/cards"', '"../../js/src/cards.ts"'),
  );
  const bundle = await rolldown({
    input: { [basename(output, ".d.ts")]: declared },
    external: [/^react/],
    plugins: [dts({ emitDtsOnly: true, dtsInput: true, oxc: true })],
  });
  await bundle.write({ dir: dirname(output), format: "es" });
  // The bundler adds the path of each file; without them the same sources give the same bytes in every folder.
  writeFileSync(output, readFileSync(output, "utf8").replace(/^\/\/ .*\.d\.ts\n/gm, ""));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
