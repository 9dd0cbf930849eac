// Measures an element's width, so that a chart can fit into it.

import { useLayoutEffect, useRef, useState } from "react";

/** A ref for the element, and its width in pixels, which is 0 until it is measured. */
export function useWidth<T extends Element>() {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) {
      return;
    }
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}
