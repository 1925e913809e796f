// Before anything is painted: the chosen theme, or none, and then the system's holds.
try {
  const theme = localStorage.getItem("parley:theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing has no choice of ours to respect.
}
