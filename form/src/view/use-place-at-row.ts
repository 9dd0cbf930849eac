// Puts a modal dialog over the row that it asks about, and makes the page tall enough for it: in a merchant's page the
// frame is just as tall as the form, and may itself be taller than the screen, so its middle may be out of sight.

import { type RefObject, useLayoutEffect } from "react";

/** What stays free around the dialog, in CSS pixels. */
const MARGIN_PX = 8;

/** Keeps the dialog in `ref` over `row` as long as it is drawn; without a row it stays in the middle. */
export function usePlaceAtRow(ref: RefObject<HTMLDialogElement | null>, row: () => Element | null): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row is the one for which the dialog was opened.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const asked = row();
    if (dialog === null || asked === null) {
      return;
    }
    const { body, documentElement: root } = document;
    const place = () => {
      const { top, left, right, width } = asked.getBoundingClientRect();
      dialog.style.width = `${width}px`;
      const { height, width: taken } = dialog.getBoundingClientRect();
      // The room that the dialog itself has made is none of the page's own.
      body.style.minHeight = "";
      const lowest = Math.max(root.scrollHeight, root.clientHeight) - height - MARGIN_PX;
      const y = Math.max(MARGIN_PX, Math.min(top + window.scrollY, lowest));
      dialog.style.top = `${y}px`;
      dialog.style.left = `${getComputedStyle(root).direction === "rtl" ? left : right - taken}px`;
      body.style.minHeight = `${y + height + MARGIN_PX}px`;
    };
    place();
    const observer = new ResizeObserver(place);
    observer.observe(dialog);
    observer.observe(asked);
    return () => {
      observer.disconnect();
      body.style.minHeight = "";
    };
  }, [ref]);
}
