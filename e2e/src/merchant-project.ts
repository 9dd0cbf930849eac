// A merchant's project in a folder of its own, outside the repository: it has the SDK only as `npm pack` makes it.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const REPOSITORY = join(import.meta.dirname, "../..");
/** The tools of the repository that a merchant has, too: installing them again would only take time. */
const TOOLS = join(REPOSITORY, "node_modules/.bin");
/** A registry may be slow; a tool that hangs must not stop the tests. */
const COMMAND_TIMEOUT_MS = 180_000;

/** The packed packages: paths of the files that `npm publish` would send. */
export interface Packed {
  readonly folder: string;
  readonly js: string;
  readonly react: string;
}

/** Packs the SDK's packages as a release does. */
export function packPackages(): Packed {
  const folder = mkdtempSync(join(tmpdir(), "cardform-packed-"));
  const pack = (workspace: string) => {
    // The repository's own setting keeps scripts of packages from running; packing needs this one of ours.
    const args = ["pack", "--ignore-scripts=false", "--silent", "--pack-destination", folder];
    const output = run("npm", [...args, "--workspace", workspace], REPOSITORY);
    return join(folder, output.trim().split("\n").at(-1) ?? "");
  };
  return { folder, js: pack("@cardform/js"), react: pack("@cardform/react") };
}

/** A project with these files, and these packages installed. */
export interface MerchantProject {
  readonly folder: string;
  /** Runs one of the tools; throws with what it printed when it fails. */
  readonly tool: (name: string, ...args: string[]) => string;
  /** Runs Node. */
  readonly node: (...args: string[]) => string;
  readonly remove: () => void;
}

/** Makes a project from `files` (path → text) and installs `packages` into it. */
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
    tool: (name, ...args) => run(join(TOOLS, name), args, folder),
    node: (...args) => run(process.execPath, args, folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs one of the repository's tools on a file. */
export function tool(name: string, ...args: string[]): string {
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
