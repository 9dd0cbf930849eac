// How wide an element is, so that a chart fits it.

import { useLayoutEffect, useRef, useState } from "react";

/** A reference for the element, and its width in pixels; 0 before it is known. */
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
