/** 1.0 MB, 12 KB, 340 bytes. */
export function sizeOf(text: string): string {
  const bytes = new Blob([text]).size;
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1000 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
