import type { Language } from '@darkroom/server/panel-contract';

/**
 * The name of each language in itself. The code has the English text; the others are catalogues beside this file.
 */
export const languages: Record<Language, string> = { en: 'English', de: 'Deutsch', zh: '简体中文' };

/** The key of the browser's storage that holds the chosen language; without it the browser's language counts. */
const place = 'darkroom-language';
const asked = typeof navigator === 'undefined' ? ['en'] : navigator.languages;

/** The language of this page: a change loads it again. `long` is that of a test. */
export const language: Language | 'long' = languageNow();
/** How numbers and times are written: as this browser has it, if it is of the same language. */
export const locale: string =
  asked.find((tag) => languageOf(tag) === language && isLocale(tag)) ??
  (language === 'long' ? 'en' : language);

/** The language tag of this page's words: Chinese ones are simplified even where numbers are written as in Taiwan. */
export const writtenIn: string = language === 'zh' ? 'zh-Hans' : locale;

/** False for names such as `en-US@posix`, which some browsers return and `Intl` refuses. */
function isLocale(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

function languageNow(): Language | 'long' {
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(place);
  if (kept === 'long') return kept;
  const wanted = [kept, ...asked].map((tag) => (tag === null ? undefined : languageOf(tag)));
  return wanted.find((one) => one !== undefined) ?? 'en';
}

function languageOf(tag: string): Language | undefined {
  const primary = tag.split('-', 1)[0] ?? '';
  return primary in languages ? (primary as Language) : undefined; // checked by `in`
}

/** Stores the chosen language in this browser. Returns whether the page is now in another one. */
export function keepLanguage(chosen: Language | null): boolean {
  if (localStorage.getItem(place) === 'long') return false;
  if (chosen) localStorage.setItem(place, chosen);
  else localStorage.removeItem(place);
  return languageNow() !== language;
}

let catalogue: Record<string, string> | ((message: string) => string) = {};

/** Loads the catalogue before anything asks for words: tables take theirs as their files load. */
export async function loadLanguage(): Promise<void> {
  if (language === 'de') catalogue = (await import('./de.json')).default;
  if (language === 'zh') catalogue = (await import('./zh.json')).default;
  if (language === 'long') catalogue = (await import('./lengthen.ts')).lengthen;
}

/** Returns the English words if there is no translation yet. */
export function translate(message: string): string {
  if (typeof catalogue === 'function') return catalogue(message);
  return (Object.hasOwn(catalogue, message) && catalogue[message]) || message;
}
