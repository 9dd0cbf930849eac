// Reads colors that only CSS knows: `rebeccapurple`, `oklch(…)`.

/** `#rrggbb` or `rgba(…)` of a CSS color, or null if the browser does not know it. */
export function colorByName(text: string): string | null {
  if (!CSS.supports("color", text)) {
    return null;
  }
  const context = document.createElement("canvas").getContext("2d");
  if (!context) {
    return null;
  }
  context.fillStyle = text;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
  return `rgb(${red} ${green} ${blue} / ${alpha / 255})`;
}
