/** A test language: every word is half as long again and begins with a mark, to reveal clipped or untranslated text. */
export function lengthen(message: string): string {
  // Keeps the names of values, elements and plural forms.
  return message
    .split(/(<\/?\w+>|\{\w+\}|\{\w+, plural,|(?:\b\w+|=\d+) \{)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/\p{L}+/gu, longer)))
    .join('');
}

export const mark = 'ł';

function longer(word: string): string {
  return mark + word + word.slice(0, Math.ceil(word.length / 2) - 1);
}
