import type { FastifyReply, FastifyRequest } from 'fastify';
import { heardLanguage, type Language } from '../../accounts/people/language.ts';
import type { Brand } from '../../base/brand/brand.ts';
import { type Html, html } from '../../base/std/markup/html.ts';
import type { AppError } from '../../errors.ts';
import { type Say, sayIn } from '../../notify/emails/say.ts';

export interface Reader {
  language: Language;
  brand: Brand;
  say: Say;
}

/** Picks the browser's preferred language, and tells caches that the answer depends on it. */
export function readerOf({ headers }: FastifyRequest, reply: FastifyReply, brand: Brand): Reader {
  reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept-Language'].flat().join(', '));
  const language = heardLanguage(headers['accept-language']) ?? 'en';
  return { language, brand, say: sayIn(language) };
}

/** The language tag of the page. Chinese is simplified, as in the panel. */
export function writtenIn({ language }: Reader): string {
  return language === 'zh' ? 'zh-Hans' : language;
}

/** Writes the day in UTC. English dates begin with the year, as in the panel, because 11/12 is ambiguous. */
export function dayIn({ language }: Reader, iso: string): string {
  if (language === 'en') return iso.slice(0, 10);
  return new Date(iso).toLocaleDateString(language, {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    timeZone: 'UTC',
  });
}

/** Writes a number with the language's decimal separator. Takes text, because floats cannot represent every amount. */
export function numberIn({ language }: Reader, value: number | string): string {
  const text = String(value);
  return language === 'de' ? text.replace('.', ',') : text;
}

export function withParts(message: string, parts: Record<string, Html>): Html {
  const pieces = message.split(/\{(\w+)\}/); // every second piece is a name
  return html`${pieces.map((piece, at) => (at % 2 === 1 ? parts[piece] : piece))}`;
}

/** Describes an error for people, because the API's own details are in English and mention the API's fields. */
export function sayProblem({ say }: Reader, { code }: Pick<AppError, 'code'>): string {
  switch (code) {
    case 'too_many_requests':
      return say('Too many requests came from your address. Wait before you try again.');
    case 'second_factor_required':
      return say('A password alone is not enough here: set up an authenticator in your profile first.');
    case 'body_too_large':
      return say('It is too large.');
    case 'overloaded':
    case 'shutting_down':
    case 'database_unavailable':
    case 'storage_unavailable':
      return say('This service has too much to do at the moment. Try again shortly.');
    case 'internal':
      return say('Something went wrong here. Try again.');
    default:
      return say('What was sent cannot be read.');
  }
}
