import type { Metadata } from '../job.ts';
import { cleanText } from './clean-text.ts';

// The limits of OpenAI's APIs, so that programs written for them work.
export const maxPairs = 16;
export const maxKeyLength = 64;
export const maxValueLength = 512;

/** Cleans keys and values like `cleanText`; null if there are no pairs. */
export function cleanMetadata(sent: Readonly<Record<string, string>> | undefined): Metadata | null {
  if (!sent) return null;
  const pairs = Object.entries(sent).map(([key, value]) => [cleanText(key), cleanText(value)] as const);
  return pairs.length === 0 ? null : Object.fromEntries(pairs);
}

/** Why a value cannot be metadata; undefined if it can. Lengths are in characters, not UTF-16 units. */
export function metadataMistake(sent: unknown): string | undefined {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    return 'must be an object of strings.';
  const pairs = Object.entries(sent);
  if (pairs.length > maxPairs) return `must have at most ${maxPairs} pairs.`;
  if (pairs.some(([, value]) => typeof value !== 'string')) return 'must have strings as values.';
  if (pairs.some(([key]) => key === '' || [...key].length > maxKeyLength))
    return `must have keys of 1 to ${maxKeyLength} characters.`;
  if (pairs.some(([, value]) => [...String(value)].length > maxValueLength))
    return `must have values of at most ${maxValueLength} characters.`;
  return undefined;
}
