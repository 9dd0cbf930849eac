// Keeps what was typed before hydration. If an extension has changed the page, React draws it anew, with other inputs.

/** Notes the inputs that the server has drawn. The returned function moves their texts, ticks and focus to new ones. */
export function earlyInputs(): () => void {
  const early = document.querySelectorAll("input");
  let focused: EventTarget | null = document.activeElement;
  addEventListener("focusin", ({ target }) => {
    focused = target;
  });
  return () => {
    for (const old of early) {
      const input = document.getElementById(old.id);
      if (input !== old && input instanceof HTMLInputElement) {
        input.value = old.value;
        if (input.checked !== old.checked) {
          input.click();
        }
        if (focused === old) {
          input.focus();
          input.selectionStart = old.selectionStart;
          input.selectionEnd = old.selectionEnd;
        }
        input.dispatchEvent(new Event("change"));
      }
    }
  };
}
