const isMac = /^(Mac|iP)/.test(navigator.platform);

/** As the list of keys shows it. It is no single key, so it works where those are switched off, and while one types. */
export const PALETTE_KEY = { keys: [isMac ? "⌘" : "Ctrl", "K"], words: "All commands" };

export const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === "k";
