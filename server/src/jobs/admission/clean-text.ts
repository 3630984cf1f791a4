/** Drops NUL bytes and replaces lone surrogates with U+FFFD, so that every database stores the same text. */
export function cleanText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
