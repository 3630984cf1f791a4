/** Matches suffixes such as `mini`, which make a name mean another model. */
const another = /^(\d|mini|lite|pro|max|ultra|fast|flash|turbo|nano)/;

export function matchModel(
  asked: readonly string[],
  { inWords = false }: { inWords?: boolean | undefined },
): (billed: string) => string | undefined {
  const names = asked
    .map((model) => ({ model, name: wordsOf(model) }))
    .toSorted((one, other) => other.model.length - one.model.length);
  return (billed) => {
    const words = wordsOf(billed);
    const found = names.find(({ name }) => {
      if (name === words) return true;
      const at = `-${words}-`.indexOf(`-${name}-`);
      return inWords && at >= 0 && !another.test(words.slice(at + name.length + 1));
    });
    return found?.model;
  };
}

/** Reduces `Gemini 3 Pro Image`, `gemini-3-pro-image-preview` and dated versions to the same words. */
function wordsOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .replace(/(-20\d\d-?\d\d-?\d\d|-preview)+$/, '');
}
