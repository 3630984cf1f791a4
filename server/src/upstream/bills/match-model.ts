/** What vendors call their models after the name: another one of the family. */
const another = /^(\d|mini|lite|pro|max|ultra|fast|flash|turbo|nano)/;

/** Which of the models that were asked a bill means, or none. */
export function matchModel(
  billed: string,
  asked: readonly string[],
  { inWords = false }: { inWords?: boolean | undefined },
): string | undefined {
  const words = wordsOf(billed);
  const found = asked.filter((model) => {
    const name = wordsOf(model);
    if (name === words) return true;
    const at = `-${words}-`.indexOf(`-${name}-`);
    return inWords && at >= 0 && !another.test(words.slice(at + name.length + 1));
  });
  return found.toSorted((one, other) => other.length - one.length)[0];
}

/** `Gemini 3 Pro Image` and `gemini-3-pro-image-preview` are the same, as is a version that bears a date. */
function wordsOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .replace(/(-20\d\d-?\d\d-?\d\d|-preview)+$/, '');
}
