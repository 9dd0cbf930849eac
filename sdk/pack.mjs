// Packs the package in this folder into `dist/sdk` at the root of the repository, from where the service serves it:
// `node ../pack.mjs`. The file's name has no version, so that its address stays the same.

import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(import.meta.dirname, "../dist/sdk");
mkdirSync(folder, { recursive: true });
// `prepack` builds what is packed, also where the user's settings forbid scripts.
const args = ["pack", "--ignore-scripts=false", "--json", "--pack-destination", folder];
const printed = execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
// The scripts print before npm does.
const [{ filename, version }] = JSON.parse(printed.slice(printed.lastIndexOf("\n[") + 1));
renameSync(join(folder, filename), join(folder, filename.replace(`-${version}.tgz`, ".tgz")));
