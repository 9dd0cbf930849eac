// A spot of a color.

import { useLayoutEffect, useRef } from "react";

export function Swatch({ color = "" }: { readonly color?: string | undefined }) {
  const spot = useRef<HTMLSpanElement>(null);
  // Through the CSSOM, because the page's policy forbids the style attribute.
  useLayoutEffect(() => spot.current?.style.setProperty("background-color", color), [color]);
  return <span className="swatch" ref={spot} />;
}
