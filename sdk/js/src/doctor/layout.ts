// Finds a form that is scaled, cut off, or too small for fingers.

import type { PageFinding } from "./findings.ts";
import { around, type FormFrame, type Heard } from "./frames.ts";

/** Differences up to this many CSS pixels come from rounding. */
const ROUNDING_PX = 1.5;
/** Differences of a scale up to this come from rounding. */
const ROUNDING_SHARE = 0.01;
/** Below this many CSS pixels phones zoom into an input. */
const TEXT_PX_MIN = 16;

export function layoutFindings(frames: readonly FormFrame[], heard: WeakMap<object, Heard>): PageFinding[] {
  const found: PageFinding[] = [];
  const touches = matchMedia("(pointer: coarse)").matches;
  for (const { element } of frames) {
    const { contentWindow } = element;
    const wanted = (contentWindow && heard.get(contentWindow)?.height) ?? 0;
    const scale = scaleOf(element);
    if (Math.abs(scale - 1) > ROUNDING_SHARE) {
      found.push({ code: "frame_scaled", what: `The form is shown at ${percent(scale)} of its size.` });
    }
    if (touches && scale < 1 - ROUNDING_SHARE) {
      const size = (TEXT_PX_MIN * scale).toFixed(1);
      found.push({ code: "small_inputs", what: `The form's inputs look as if their text had ${size} px.` });
    }
    found.push(...clipped(element, wanted));
  }
  if (touches) {
    found.push(...tooSmall());
    if (!document.querySelector('meta[name="viewport"][content*="width"]')) {
      found.push({ code: "viewport_missing", what: 'The page has no <meta name="viewport">.' });
    }
  }
  return found;
}

function scaleOf(element: HTMLElement): number {
  return element.offsetWidth === 0 ? 1 : element.getBoundingClientRect().width / element.offsetWidth;
}

function clipped(element: HTMLIFrameElement, wantedPx: number): PageFinding[] {
  // A frame that is not shown at all may belong to a step of the checkout that comes later.
  if (wantedPx === 0 || element.getClientRects().length === 0) {
    return [];
  }
  const missing = wantedPx - element.offsetHeight;
  if (missing > ROUNDING_PX) {
    const what = `The frame is ${element.offsetHeight} px high, and the form needs ${wantedPx} px.`;
    return [{ code: "frame_clipped", what }];
  }
  const frame = element.getBoundingClientRect();
  for (let outer = around(element); outer && outer !== document.body; outer = around(outer)) {
    const { overflowX, overflowY } = getComputedStyle(outer);
    const box = outer.getBoundingClientRect();
    const cuts = (overflow: string) => overflow === "hidden" || overflow === "clip";
    const below = cuts(overflowY) ? Math.max(frame.bottom - box.bottom, box.top - frame.top) : 0;
    const beside = cuts(overflowX) ? Math.max(frame.right - box.right, box.left - frame.left) : 0;
    const hidden = Math.max(below, beside);
    if (hidden > ROUNDING_PX) {
      return [{ code: "frame_clipped", what: `${nameOf(outer)} hides ${Math.ceil(hidden)} px of the form.` }];
    }
  }
  return [];
}

/** The page's own inputs: phones zoom into them, too, and then the form is partly outside of the screen. */
function tooSmall(): PageFinding[] {
  const inputs = [...document.querySelectorAll<HTMLElement>("input, select, textarea")].filter(
    (input) =>
      input.getClientRects().length > 0 && !/^(checkbox|radio|range|button|submit)$/.test(typeOf(input)),
  );
  const small = inputs.find((input) => Number.parseFloat(getComputedStyle(input).fontSize) < TEXT_PX_MIN);
  if (!small) {
    return [];
  }
  const what = `The text of ${nameOf(small)} has ${getComputedStyle(small).fontSize}.`;
  return [{ code: "small_inputs", what }];
}

function typeOf(input: HTMLElement): string {
  return input instanceof HTMLInputElement ? input.type : "";
}

function nameOf(element: Element): string {
  const name = element.id ? `#${element.id}` : [...element.classList].map((part) => `.${part}`).join("");
  return `<${element.localName}>${name && ` (${name})`}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
