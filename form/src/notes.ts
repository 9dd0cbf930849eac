// Writes the server's notes for the merchant's developer to the console.

import type { FormPage } from "../generated/wire.ts";

export function writeNotes({ notes }: FormPage): void {
  for (const note of notes) {
    console.warn(`Cardform: ${note}`);
  }
}
