// Puts a modal dialog over the row that it asks about, and makes the page tall enough for it. In a merchant's page the
// frame is as tall as the form, which may be taller than the screen, so the frame's middle may be out of view.

import { type RefObject, useLayoutEffect } from "react";

/** The free space around the dialog, in CSS pixels. */
const MARGIN_PX = 8;

/** Keeps the dialog in `ref` over `row` while it is open. Without a row it stays in the middle. */
export function usePlaceAtRow(ref: RefObject<HTMLDialogElement | null>, row: () => Element | null): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row is the one for which the dialog was opened.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const asked = row();
    if (dialog === null || asked === null) {
      return;
    }
    const { body, documentElement: root } = document;
    let shown = "";
    const place = () => {
      const { top, left, right, width } = asked.getBoundingClientRect();
      const isRtl = getComputedStyle(root).direction === "rtl";
      // Measured from the row's end, so that it stays right when the page gets narrower.
      const aside = Math.max(0, isRtl ? left : root.clientWidth - right);
      dialog.style.insetInlineEnd = `${aside}px`;
      dialog.style.width = `min(${width}px, 100% - ${2 * aside}px)`;
      const { height } = dialog.getBoundingClientRect();
      // The height that was added for the dialog does not count.
      body.style.minHeight = "";
      const lowest = Math.max(root.scrollHeight, root.clientHeight) - height - MARGIN_PX;
      const y = Math.max(MARGIN_PX, Math.min(top + window.scrollY, lowest));
      dialog.style.top = `${y}px`;
      // A page that is tall enough stays as it is, so that nothing behind the dialog moves.
      const needed = y + height + MARGIN_PX;
      if (needed > body.getBoundingClientRect().height) {
        body.style.minHeight = `${needed}px`;
      }
      // The browser scrolled to where the dialog was when it opened.
      if (shown !== `${y} ${height}`) {
        shown = `${y} ${height}`;
        dialog.scrollIntoView({ block: "nearest" });
      }
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
