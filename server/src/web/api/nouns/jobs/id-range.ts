const prefixPattern = /^[0-9a-f]{4,8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,12})?$/i;
const zeros = '00000000-0000-0000-0000-000000000000';

/** The first and last id that begin with the text; undefined if no id can begin with it. */
export function idsThatBeginWith(text: string): { first: string; last: string } | undefined {
  const prefix = text.toLowerCase();
  if (!prefixPattern.test(prefix) || prefix.length > zeros.length) return undefined;
  const rest = zeros.slice(prefix.length);
  const first = prefix + rest;
  const isWellFormed =
    [8, 13, 18, 23].every((index) => first[index] === '-') && first.split('-').length === 5;
  return isWellFormed ? { first, last: prefix + rest.replaceAll('0', 'f') } : undefined;
}
