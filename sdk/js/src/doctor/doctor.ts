// `/sdk/doctor.js`: a script for merchants' developers. It watches the form's frames in the page, and shows over the page
// the faults of their embedding (docs/doctor.md#in-your-page). It is not for shoppers, so it may be large.

import { EXPLANATIONS, type PageFinding } from "./findings.ts";
import { formFrames, listen } from "./frames.ts";
import { layoutFindings } from "./layout.ts";
import { EmbeddingQuestions, environmentFindings, silent, watchPolicy } from "./loading.ts";
import { createOverlay } from "./overlay.ts";

/** How often the page is looked at, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

function start(address: string): void {
  const { origin, host } = new URL(address);
  const heard = listen(origin);
  const policy = watchPolicy(origin);
  const since = new WeakMap<Element, number>();
  const questions = new EmbeddingQuestions(look);
  const show = createOverlay();
  const told = new Set<string>();

  function look(): void {
    const frames = formFrames(document, host);
    const blocked = policy();
    const found = [
      ...blocked,
      ...questions.findings(frames, blocked),
      ...environmentFindings(frames),
      ...layoutFindings(frames, heard),
    ];
    // Silence has a reason of its own in most cases.
    const isExplained = found.some(({ code }) => EXPLANATIONS[code].severity === "error");
    const all = unique(isExplained ? found : [...found, ...silent(frames, heard, since)]);
    for (const { code, what } of all.filter(({ what }) => !told.has(what))) {
      told.add(what);
      const { severity, why, fix } = EXPLANATIONS[code];
      const line = `Cardform doctor: ${code}: ${what} ${why} ${fix}`;
      if (severity === "error") {
        console.error(line);
      } else {
        console.warn(line);
      }
    }
    show(all);
  }

  setInterval(look, LOOK_EVERY_MS);
  look();
}

function unique(findings: readonly PageFinding[]): PageFinding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

const script =
  document.currentScript ?? document.querySelector<HTMLScriptElement>('script[src*="/sdk/doctor.js"]');
if (script instanceof HTMLScriptElement) {
  start(script.src);
}
