/** Drops NUL bytes and replaces lone surrogates by U+FFFD, so that every store has the same text. */
export function cleanText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
