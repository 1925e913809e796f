/** Times as a person reads them: how long ago or until then when that is near, else by the clock on their wall. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Farther away than this, a clock says more than a count of hours. */
const NEAR = 12 * HOUR;

/** `just now`, `5 min ago`, `in 2 h`, `yesterday 09:15`, `Nov 12 09:15`. What is no time is left as it is. */
export function spokenTime(iso: string, now = Date.now()): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const away = Math.abs(at - now);
  if (away < MINUTE) return at <= now ? "just now" : `in ${Math.ceil(away / 1000)} s`;
  if (away >= NEAR) return wallTime(iso, now);
  // What was asked for two hours from now is not told as one a moment later.
  const minutes = at <= now ? Math.floor(away / MINUTE) : Math.round(away / MINUTE);
  const hours = Math.floor(minutes / 60);
  if (at <= now) return minutes < 60 ? `${minutes} min ago` : `${hours} h ago`;
  const rest = minutes % 60 === 0 ? "" : ` ${minutes % 60} min`;
  return minutes < 60 ? `in ${minutes} min` : `in ${hours} h${rest}`;
}

/** The same without what ages on the screen: `09:15`, `yesterday 09:15`, `Nov 12 09:15`, `Nov 12 2024 09:15`. */
export function wallTime(iso: string, now = Date.now()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  const days = Math.round((midnight(new Date(now)) - midnight(at)) / DAY);
  if (days === 0) return clock;
  if (days === 1) return `yesterday ${clock}`;
  if (days === -1) return `tomorrow ${clock}`;
  const year = at.getFullYear() === new Date(now).getFullYear() ? "" : ` ${at.getFullYear()}`;
  return `${MONTHS[at.getMonth()]} ${at.getDate()}${year} ${clock}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const two = (count: number): string => String(count).padStart(2, "0");

/** Of the reader's own day. A day with a clock change is no 24 hours, so days are counted by rounding. */
const midnight = (at: Date): number => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
