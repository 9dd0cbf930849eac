// Checks that everything on a page fits: nothing is wider than the page, no text is cut off, and expiry and security code
// are on one line.

import type { Page } from "playwright-core";

/** One sentence for each part that does not fit. */
export function overflowProblems(page: Page): Promise<string[]> {
  return page.evaluate(findProblems);
}

/** Runs in the page. */
function findProblems(): string[] {
  const found: string[] = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    found.push(`the page scrolls sideways: ${root.scrollWidth} in ${root.clientWidth}`);
  }
  for (const element of document.querySelectorAll<HTMLElement>("main, main *")) {
    const isHidden = element.closest(".visually-hidden, svg") !== null || element.offsetParent === null;
    if (isHidden || element instanceof HTMLInputElement) {
      continue;
    }
    const { left, right } = element.getBoundingClientRect();
    const name = `${element.tagName.toLowerCase()}.${element.className} "${element.textContent}"`;
    // Positions may be rounded by half a pixel.
    if (left < -0.5 || right > root.clientWidth + 0.5) {
      found.push(`outside of the page: ${name}`);
    }
    if (element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1) {
      found.push(`cut off at the side: ${name}`);
    }
    const isClipped = getComputedStyle(element).overflowY !== "visible";
    if (isClipped && element.scrollHeight > element.clientHeight + 1) {
      found.push(`cut off below: ${name}`);
    }
  }
  for (const input of document.querySelectorAll("input")) {
    const style = getComputedStyle(input);
    const context = document.createElement("canvas").getContext("2d");
    if (context !== null && input.placeholder !== "") {
      context.font = style.font;
      const room =
        input.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      const width = context.measureText(input.placeholder).width;
      if (width > room + 1) {
        found.push(`placeholder cut off: ${input.id}, ${width} in ${room}`);
      }
    }
  }
  const tops = ["card-expiry", "card-security-code"].map(
    (id) => document.getElementById(id)?.getBoundingClientRect().top,
  );
  if (tops[0] !== tops[1]) {
    found.push(`expiry and security code are not in line: ${tops.join(", ")}`);
  }
  return found;
}
