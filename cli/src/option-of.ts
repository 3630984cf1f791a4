import type { Command } from 'commander';

/**
 * Finds the option or argument for the field that a JSON pointer names: `--spend-day` for `/limits/spend_day`,
 * `<prompt>` for `/prompt`. Options are named like fields, exactly or nearly (`--max-open` for `open`, `--allow-ip
 * <networks>` for `networks`), so their words are compared. Returns undefined if no option or more than one fits, for
 * example if the field comes from a file.
 */
export function optionOf(pointer: string, { options, registeredArguments }: Command): string | undefined {
  const given: Given[] = [
    ...registeredArguments.map((one) => ({ shown: `<${one.name()}>`, names: [one.name()] })),
    ...options.map(({ long, flags }) => ({
      shown: long ?? flags,
      names: [long ?? '', /[<[]([\w-]+)/.exec(flags)?.[1] ?? ''],
    })),
  ];
  for (const field of fieldsOf(pointer))
    for (const fits of [isSame, isWithin])
      for (const nth of [0, 1]) {
        const found = given.filter(({ names }) => fits(wordsOf(names[nth] ?? ''), wordsOf(field)));
        const [only] = found;
        if (only && found.length === 1) return only.shown;
      }
  return undefined;
}

interface Given {
  shown: string;
  names: string[];
}

/** Returns the path's fields up to the first list, because options do not reach into a list's items. */
function fieldsOf(pointer: string): string[] {
  const fields = pointer
    .replace(/^\/(query|headers)\//, '/')
    .split('/')
    .slice(1);
  const entry = fields.findIndex((field) => /^\d+$/.test(field));
  return entry < 0 ? fields : fields.slice(0, entry);
}

/** Splits a name into words without a final s, because repeatable options are named in the singular. */
function wordsOf(name: string): string[] {
  const words = name.split(/[-_]/).filter((word) => word !== '');
  return words.map((word) => word.replace(/s$/, ''));
}

function isSame(one: string[], other: string[]): boolean {
  return one.join() === other.join();
}

function isWithin(one: string[], other: string[]): boolean {
  const [few, many] = one.length < other.length ? [one, other] : [other, one];
  return few.length > 0 && few.every((word) => many.includes(word));
}
