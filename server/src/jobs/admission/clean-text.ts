/** Drops NUL bytes and writes U+FFFD for lone surrogates, so that every store holds the same text. */
export function cleanText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
