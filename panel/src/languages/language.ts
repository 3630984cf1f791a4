import type { Language } from '@darkroom/server/panel-contract';

/** Each language's name in that language. English is in the code, the others in catalogues beside this file. */
export const languages: Record<Language, string> = { en: 'English', de: 'Deutsch', zh: '简体中文' };

/** The storage key of the chosen language; without one, the browser's language applies. */
const place = 'darkroom-language';
const asked = typeof navigator === 'undefined' ? ['en'] : navigator.languages;

/** `long` is the test language. The page reloads when the language changes. */
export const language: Language | 'long' = languageNow();
/** The locale for numbers and times: the browser's, if it has the same language. */
export const locale: string =
  asked.find((tag) => languageOf(tag) === language && isLocale(tag)) ??
  (language === 'long' ? 'en' : language);

/** The language tag of this page's text: Chinese text is simplified even if numbers are written as in Taiwan. */
export const writtenIn: string = language === 'zh' ? 'zh-Hans' : locale;

/** False for names such as `en-US@posix`, which some browsers return but `Intl` refuses. */
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

/** Stores the chosen language. Returns whether it differs from the page's. */
export function keepLanguage(chosen: Language | null): boolean {
  if (localStorage.getItem(place) === 'long') return false;
  if (chosen) localStorage.setItem(place, chosen);
  else localStorage.removeItem(place);
  return languageNow() !== language;
}

let catalogue: Record<string, string> | ((message: string) => string) = {};

/** Await this before loading other files, some of which translate tables as they load. */
export async function loadLanguage(): Promise<void> {
  if (language === 'de') catalogue = (await import('./de.json')).default;
  if (language === 'zh') catalogue = (await import('./zh.json')).default;
  if (language === 'long') catalogue = (await import('./lengthen.ts')).lengthen;
}

export function translate(message: string): string {
  if (typeof catalogue === 'function') return catalogue(message);
  return (Object.hasOwn(catalogue, message) && catalogue[message]) || message;
}
