// The React code that the theme playground gives: it compiles strictly against the packages as a merchant installs them.

import { expect } from "vitest";

import { reactCodeOf } from "../../demo/src/theme/code.ts";
import { PRESETS } from "../../demo/src/theme/presets.ts";
import { createProject, packagesOf, STRICT_PROJECT } from "../src/merchant-project.ts";
import { test } from "../src/test.ts";
import { EVERY_KEY } from "../src/theme-keys.ts";

/** Packing and installing takes long on a busy machine. */
const PROJECT_TIMEOUT_MS = 300_000;

test(
  "the playground's React code passes strict checks",
  async ({ service }) => {
    const pairs = PRESETS.map(({ themes: { light, dark } }) => ({
      light: light ?? dark,
      dark: dark ?? light,
    }));
    const all = [{ light: EVERY_KEY, dark: EVERY_KEY }, { light: {}, dark: EVERY_KEY }, ...pairs];
    const files = all.map(({ light = {}, dark = {} }, at) => [
      `theme-${at}.tsx`,
      reactCodeOf({ light, dark }),
    ]);
    expect(files.length).toBeGreaterThan(9);
    const project = await createProject(
      {
        ...Object.fromEntries(files),
        // The component is a component: a shop can show it.
        "shop.tsx": `import { createRef } from "react";
import type { CardFormHandle } from "@cardform/react";
import { Checkout } from "./theme-0.jsx";
const form = createRef<CardFormHandle>();
export const page = <Checkout url="https://pay.example" payload="p" clientSecret={async () => "s"} formRef={form} />;
// @ts-expect-error it needs a payload.
export const wrong = <Checkout url="https://pay.example" clientSecret={async () => "s"} formRef={form} />;
`,
        "tsconfig.json": JSON.stringify({ compilerOptions: STRICT_PROJECT }),
      },
      [packagesOf(service).react, "react@19", "@types/react@19"],
    );
    await project.runTool("tsc", "-p", "tsconfig.json");
    project.remove();
  },
  PROJECT_TIMEOUT_MS,
);
