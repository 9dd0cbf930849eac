// A merchant's project in a new folder outside the repository. It has the SDK only as the files that `npm pack` makes.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Settings of TypeScript, as strict as a merchant's project can have them. */
export const STRICT_PROJECT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  // The declarations of others are not ours to check.
  skipLibCheck: true,
  noEmit: true,
  target: "es2022",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["es2022", "dom", "dom.iterable"],
  types: [],
  jsx: "react-jsx",
};

const REPOSITORY = join(import.meta.dirname, "../..");
/** The repository's tools, such as tsc and Vite. They are used here so that they need not be installed again. */
const TOOLS = join(REPOSITORY, "node_modules/.bin");
/** Long enough for a slow registry. A tool that hangs is ended. */
const COMMAND_TIMEOUT_MS = 180_000;

/** The folder with the packed packages, and the paths of the files that `npm publish` would send. */
export interface PackedPackages {
  readonly folder: string;
  readonly js: string;
  readonly react: string;
  readonly testing: string;
}

/** Packs the SDK's packages as a release does. */
export function packPackages(): PackedPackages {
  const folder = mkdtempSync(join(tmpdir(), "cardform-packed-"));
  const pack = (workspace: string) => {
    // The repository's npm setting forbids packages' scripts, but our own packages need theirs to be packed.
    const args = ["pack", "--ignore-scripts=false", "--silent", "--pack-destination", folder];
    const output = run("npm", [...args, "--workspace", workspace], REPOSITORY);
    return join(folder, output.trim().split("\n").at(-1) ?? "");
  };
  return {
    folder,
    js: pack("@cardform/js"),
    react: pack("@cardform/react"),
    testing: pack("@cardform/testing"),
  };
}

/** A project with its files and installed packages. */
export interface MerchantProject {
  readonly folder: string;
  /** Runs one of the repository's tools in the project and returns its output. Throws with the output when it fails. */
  readonly runTool: (name: string, ...args: string[]) => string;
  /** The same for Node. */
  readonly runNode: (...args: string[]) => string;
  readonly remove: () => void;
}

/** Makes a project from `files` (text by path) and installs `packages` into it. */
export function createProject(
  files: Readonly<Record<string, string>>,
  packages: readonly string[],
): MerchantProject {
  const folder = mkdtempSync(join(tmpdir(), "cardform-merchant-"));
  const all = { "package.json": '{ "private": true, "type": "module" }', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  run(
    "npm",
    ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ...packages],
    folder,
  );
  return {
    folder,
    runTool: (name, ...args) => run(join(TOOLS, name), args, folder),
    runNode: (...args) => run(process.execPath, args, folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs one of the repository's tools in the repository and returns its output. */
export function runTool(name: string, ...args: string[]): string {
  return run(join(TOOLS, name), args, REPOSITORY);
}

function run(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: COMMAND_TIMEOUT_MS,
      env: { ...process.env, NO_COLOR: "1", NODE_ENV: "" },
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout ?? ""}\n${stderr ?? ""}`);
  }
}
