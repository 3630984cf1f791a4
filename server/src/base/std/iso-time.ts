const dayMs = 86_400_000;
const secondMs = 1_000;

const padded = (length: number, digits: number) =>
  Array.from({ length }, (_, number) => String(number).padStart(digits, '0'));
const two = padded(60, 2);
const three = padded(secondMs, 3);

let day = Number.NaN;
let date = '';

/** Formats a time as RFC 3339 in UTC, `2026-11-20T16:03:47.123Z`. `Date` takes ten times as long. */
export function toIso(ms: number): string {
  const daysSince1970 = Math.floor(ms / dayMs);
  if (daysSince1970 !== day) {
    date = new Date(ms).toISOString().slice(0, -'00:00:00.000Z'.length);
    day = daysSince1970;
  }
  const inDay = Math.trunc(ms) - day * dayMs;
  const seconds = Math.floor(inDay / secondMs);
  return `${date}${two[Math.floor(seconds / 3_600)]}:${two[Math.floor(seconds / 60) % 60]}:${two[seconds % 60]}.${three[inDay % secondMs]}Z`;
}

export function toIsoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms);
}

const firstMs = Date.parse('0000-01-01T00:00:00Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Returns NaN for times that `toIso` cannot write: leap seconds, and years that do not have four digits in UTC. */
export function readIso(text: string): number {
  const ms = Date.parse(text);
  return ms >= firstMs && ms <= lastMs ? ms : Number.NaN;
}
