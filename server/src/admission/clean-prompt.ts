/** Without NUL bytes, and with U+FFFD for lone surrogates, so that every store holds the same text. */
export function cleanPrompt(prompt: string): string {
  return prompt.replaceAll('\0', '').toWellFormed();
}
