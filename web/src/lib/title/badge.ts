export const PLAIN_ICON = "/favicon.svg";
const MOST = 99;
let plain: string | undefined;

/** The address of the page's icon with a number on it. */
export async function iconWith(count: number): Promise<string> {
  if (count === 0) return PLAIN_ICON;
  plain ??= await readPlain();
  return `data:image/svg+xml,${encodeURIComponent(withBadge(plain, count))}`;
}

async function readPlain(): Promise<string> {
  const response = await fetch(PLAIN_ICON);
  if (!response.ok) throw new Error(`The icon was answered with ${response.status}.`);
  return response.text();
}

/** Three signs at most: more cannot be read at 16 pixels. */
export function withBadge(svg: string, count: number): string {
  const words = count > MOST ? `${MOST}+` : String(count);
  const width = 12 + 5 * words.length;
  const badge =
    `<rect x="${32 - width}" y="13" width="${width}" height="19" rx="8" fill="#c22f1d" stroke="#fff" stroke-width="1.500"/>` +
    `<text x="${32 - width / 2}" y="28" font-family="sans-serif" font-size="15" font-weight="700" fill="#fff" text-anchor="middle">${words}</text>`;
  return svg.replace("</svg>", `${badge}</svg>`);
}

/** Puts it where the browser shows it. */
export function setIcon(href: string): void {
  document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.setAttribute("href", href);
}
