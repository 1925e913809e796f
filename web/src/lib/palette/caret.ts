/**
 * Where one was writing before something was laid over it. Chromium gives the focus back to a field but not its caret, and
 * what is typed then goes nowhere. Returns the way back there.
 */
export function keepCaret(): () => void {
  const field = document.activeElement;
  if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return () => {};
  const { selectionStart, selectionEnd } = field;
  return () => {
    if (document.activeElement !== field) return;
    field.blur();
    field.focus({ preventScroll: true });
    // Not every kind of field has a caret to be set.
    if (selectionStart !== null) field.setSelectionRange(selectionStart, selectionEnd);
  };
}
