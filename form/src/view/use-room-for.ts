// Makes the page as tall as a modal dialog needs: in a merchant's page the frame is just as tall as the form, and a
// dialog that is taller would be cut.

import { type RefObject, useLayoutEffect } from "react";

/** What stays free above and below a dialog, in CSS pixels. */
const MARGIN_PX = 16;

/** While `open`, the page is at least as tall as the dialog in `ref`; the height then reaches the parent as usual. */
export function useRoomFor(ref: RefObject<HTMLElement | null>, open: boolean): void {
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!open || dialog === null) {
      return;
    }
    const { style } = document.body;
    const observer = new ResizeObserver(() => {
      style.minHeight = `${dialog.scrollHeight + 2 * MARGIN_PX}px`;
    });
    observer.observe(dialog);
    return () => {
      observer.disconnect();
      style.minHeight = "";
    };
  }, [ref, open]);
}
