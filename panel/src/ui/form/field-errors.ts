import { problemOf } from '../../api/problem.ts';

/** The server's messages about fields, by JSON pointer. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!error) return {};
  return Object.fromEntries((problemOf(error).errors ?? []).map((one) => [one.pointer, one.detail]));
}
