import type { Language } from '../../accounts/people/language.ts';
import de from './de.json' with { type: 'json' };
import zh from './zh.json' with { type: 'json' };

/** Translates a message and fills in values such as `{name}`. Without a translation, the message stays English. */
export type Say = (message: string, values?: Record<string, string | number>) => string;

const catalogues: Record<Language, Record<string, string>> = { en: {}, de, zh };

export function sayIn(language: Language): Say {
  return (message, values = {}) =>
    (catalogues[language][message] || message).replaceAll(/\{(\w+)\}/g, (place, name: string) =>
      String(values[name] ?? place),
    );
}

export function sayTime(language: Language, iso: string): string {
  const day = new Date(iso).toLocaleDateString(language === 'en' ? 'en-GB' : language, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return `${day}, ${iso.slice(11, 16)} UTC`;
}
