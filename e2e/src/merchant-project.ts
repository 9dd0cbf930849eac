// A merchant's project in a new folder outside the repository. It has the SDK only as the packages that are served.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** Settings of TypeScript, as strict as a merchant's project can have them. */
export const STRICT_PROJECT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  // Declarations of other packages are not tested here.
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

/** The addresses of the packages that the service at `url` serves. */
export function packagesOf({ url }: { readonly url: string }) {
  const [js, react, testing] = ["js", "react", "testing"].map((name) => `${url}/sdk/cardform-${name}.tgz`);
  return { js, react, testing } as { js: string; react: string; testing: string };
}

/** A project with its files and installed packages. */
export interface MerchantProject {
  readonly folder: string;
  /** Runs one of the repository's tools in the project and returns its output. Throws with the output when it fails. */
  readonly runTool: (name: string, ...args: string[]) => Promise<string>;
  /** The same for Node. */
  readonly runNode: (...args: string[]) => Promise<string>;
  readonly remove: () => void;
}

/** Makes a project from `files` (text by path) and installs `packages` into it. */
export async function createProject(
  files: Readonly<Record<string, string>>,
  packages: readonly string[],
): Promise<MerchantProject> {
  const folder = mkdtempSync(join(tmpdir(), "cardform-merchant-"));
  const all = { "package.json": '{ "private": true, "type": "module" }', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages], folder);
  return {
    folder,
    runTool: (name, ...args) => run(join(TOOLS, name), args, folder),
    runNode: (...args) => run(process.execPath, args, folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs one of the repository's tools in the repository and returns its output. */
export function runTool(name: string, ...args: string[]): Promise<string> {
  return run(join(TOOLS, name), args, REPOSITORY);
}

/** Runs npm in a folder of the repository and returns its output. */
export function runNpm(folder: string, ...args: string[]): Promise<string> {
  return run("npm", args, join(REPOSITORY, folder));
}

/** Runs a program without blocking this process, because other servers would close kept connections meanwhile. */
async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    const running = promisify(execFile)(command, args, {
      cwd,
      timeout: COMMAND_TIMEOUT_MS,
      env: { ...process.env, NO_COLOR: "1", NODE_ENV: "" },
    });
    running.child.stdin?.end();
    return (await running).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout ?? ""}\n${stderr ?? ""}`);
  }
}
