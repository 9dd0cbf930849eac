// Finds parts of a document that overlap or are cut off. The functions run inside the page, so they use no imports.

/** One sentence for each part that is outside the page, is cut off, or overlaps another. */
export async function layoutProblems(): Promise<string[]> {
  const found: string[] = [];
  const modal = document.querySelector("dialog[open]");
  const within = modal ?? document.body;
  if (modal !== null) {
    // The dialog of a removal follows a new size of the page with the next frame.
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }
  const nameOf = (element: Element) =>
    `${element.localName}${element.id ? `#${element.id}` : ""}.${element.getAttribute("class") ?? ""}`;
  const isSeen = (element: Element) =>
    !element.closest(".visually-hidden") &&
    getComputedStyle(element.parentElement ?? element).clipPath === "none" &&
    element.checkVisibility({ checkOpacity: true, visibilityProperty: true });

  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth > clientWidth) {
    found.push(`the page is ${scrollWidth} px wide on a screen of ${clientWidth} px`);
  }

  for (const element of within.querySelectorAll<HTMLElement>("*")) {
    if (!isSeen(element) || element.closest("svg")) {
      continue;
    }
    const box = element.getBoundingClientRect();
    if (box.width > 0 && (box.left < -0.5 || box.right > clientWidth + 0.5)) {
      found.push(`${nameOf(element)} leaves the page: ${box.left} to ${box.right}`);
    }
    const holdsText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
    );
    const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
    if (holdsText && isCut && getComputedStyle(element).display !== "inline") {
      found.push(
        `the text of ${nameOf(element)} is cut: ${element.scrollWidth} in ${element.clientWidth} px`,
      );
    }
  }
  // Text can be wider than its element, so the text itself is measured here.
  for (const element of within.querySelectorAll<HTMLElement>("*")) {
    const holder = element.closest(".pay, .button, .failure, .danger-card, .saved-card, .panel, dialog");
    if (holder === null || !isSeen(element) || element.closest("svg, select, input")) {
      continue;
    }
    const edges = holder.getBoundingClientRect();
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE && node.textContent?.trim()) {
        const range = document.createRange();
        range.selectNodeContents(node);
        const { left, right } = range.getBoundingClientRect();
        if (left < edges.left - 0.5 || right > edges.right + 0.5) {
          found.push(`the text of ${nameOf(element)} leaves ${nameOf(holder)}`);
        }
      }
    }
  }
  const dialogBox = modal?.getBoundingClientRect();
  if (dialogBox && (dialogBox.top < 0 || dialogBox.bottom > window.innerHeight)) {
    found.push(`the dialog is cut: ${dialogBox.top} to ${dialogBox.bottom} of ${window.innerHeight}`);
  }

  // Texts and controls may not overlap each other.
  const parts = [
    ...within.querySelectorAll(
      ".field-label, .field-box, .field-error span, .card-form-title, .saved-card-choice, .saved-card-digits, .saved-card-remove, .method-toggle, .save-card, .danger-card, .failure span, .pay, .summary, .button, .dialog-title, .dialog-text",
    ),
  ].filter(isSeen);
  for (const [index, one] of parts.entries()) {
    for (const other of parts.slice(index + 1)) {
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 1 && !one.contains(other) && !other.contains(one)) {
        found.push(`${nameOf(one)} and ${nameOf(other)} lie over each other`);
      }
    }
  }
  return found;
}

/**
 * What is wrong with the focus ring: it is missing, or the page's edge cuts it. Null when it is fully visible, or when a
 * frame has the focus; undefined when nothing has the focus.
 */
export function focusRingProblem(): string | null | undefined {
  const focused = document.activeElement;
  if (!focused || focused === document.body) {
    return undefined;
  }
  if (focused.localName === "iframe") {
    return null;
  }
  const ringed = focused.closest(".field-box") ?? focused;
  const style = getComputedStyle(ringed);
  const [width, offset] = [style.outlineWidth, style.outlineOffset].map(Number.parseFloat);
  if (style.outlineStyle === "none" || !width) {
    return `${focused.id || focused.className} shows no focus`;
  }
  const reach = width + (offset ?? 0);
  const { left, right, top, bottom } = ringed.getBoundingClientRect();
  const { clientWidth, scrollHeight } = document.documentElement;
  const y = window.scrollY;
  const isCut =
    left - reach < -0.5 ||
    right + reach > clientWidth + 0.5 ||
    top + y - reach < -0.5 ||
    bottom + y + reach > scrollHeight + 0.5;
  return isCut ? `the ring of ${focused.id || focused.className} is cut` : null;
}
