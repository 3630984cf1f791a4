import { language, locale } from './language.ts';

const numbers = new Intl.NumberFormat(locale);

export function number(value: number): string {
  return numbers.format(value);
}

export function decimals(value: number, digits: number): string {
  return value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The decimal sign of the language. */
export const point = decimals(0.5, 1).charAt(1);

/** Formats an amount from its text, because a float might round it. */
export function amount(text: string): string {
  const [whole = '', fraction = ''] = text.replace(/^-/, '').split('.');
  const parted = whole.length > 4 ? numbers.format(BigInt(whole)) : whole;
  return `${text.startsWith('-') ? '−' : ''}${parted}${fraction && point + fraction}`;
}

/** True for `1.000` in a language with a decimal comma, where people mean a thousand and the API would read one. */
export function isTwofold(text: string): boolean {
  return point === ',' && /^-?\d+\.\d{3}$/.test(text.trim());
}

/** Returns a typed amount in the API's form. An ambiguous amount becomes a text that the API refuses. */
export function typedAmount(text: string): string {
  if (point === '.') return text.trim();
  return isTwofold(text) ? text.trim().replace('.', ' ') : text.trim().replace(',', '.');
}

/** Returns an amount of the API in the form that people type. */
export function writtenAmount(text: string): string {
  return text.replace('.', point);
}

const isEnglish = language === 'en' || language === 'long';
const two = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
/** The year comes first in English, because readers could otherwise confuse month and day. */
const days = new Intl.DateTimeFormat(isEnglish ? 'sv' : locale, two);
const utcDays = new Intl.DateTimeFormat(isEnglish ? 'sv' : locale, { ...two, timeZone: 'UTC' });
const clocks = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** The day in the time zone of this browser. */
export function day(date: Date): string {
  return days.format(date);
}

/** The time on a 24-hour clock, in this browser's time zone. */
export function clock(date: Date, seconds: boolean): string {
  const text = clocks.format(date);
  return seconds ? text : text.slice(0, 5);
}

/** The UTC day of a time or of a day such as `2026-11-22`. */
export function utcDay(at: string): string {
  return utcDays.format(new Date(at));
}

/** The day as `utcDay` writes it, without its year. */
export function shortDay(at: string): string {
  const parts = utcDays.formatToParts(new Date(at)).filter(({ type }) => type !== 'year');
  const from = parts.findIndex(({ type }) => type !== 'literal');
  return parts
    .slice(from)
    .map(({ value }) => value)
    .join('')
    .replace(/[-/年]$/, '');
}
