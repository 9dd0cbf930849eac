// What the build does to the page's script after Vite.

import { build, type Plugin, type Rolldown } from "vite";
import { expect, test } from "vitest";

import { quickScripts } from "../quick-script.ts";

const MODULE = "/react-dom/client.js";

/** A module that counts as React's, and nothing else. */
const react: Plugin = {
  name: "react",
  resolveId: (id) => (id === MODULE ? MODULE : null),
  load: (id) => (id === MODULE ? "export const tree = Math.random();" : null),
};

async function script(...plugins: readonly Plugin[]): Promise<Rolldown.OutputChunk> {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    plugins: [react, ...plugins],
    build: {
      write: false,
      rolldownOptions: { input: MODULE, preserveEntrySignatures: "strict" },
    },
  });
  return (built as Rolldown.RolldownOutput).output[0];
}

test("the script with React is compiled while it comes", async () => {
  const { code } = await script(quickScripts());
  expect(code).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/);
  expect((await script()).code).not.toContain("allFunctionsCalledOnLoad");
});

test("the settings of this build are in the script's name", async () => {
  expect((await script(quickScripts())).fileName).not.toBe((await script()).fileName);
});
