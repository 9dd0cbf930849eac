// How the SDK is minified.

import type { MinifyOptions } from "terser";

/** The names of a submission's methods and fields become short, because only the script that mounts the form uses them. */
const OF_SUBMISSION = /^(formSpoke|formLoaded|loadFailed|answered|limit|phase|timer|outcome|tellOutcome)$/;

export const TERSER_OPTIONS = {
  module: true,
  ecma: 2020,
  compress: { passes: 3 },
  mangle: { properties: { regex: OF_SUBMISSION } },
} satisfies MinifyOptions;
