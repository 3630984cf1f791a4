import type { Job } from '@darkroom/server/panel-contract';
import type { Icon } from '@tabler/icons-react';

export interface Entry {
  id: string;
  group: string;
  name: string;
  icon: Icon;
  /** Further words that find the entry. */
  words?: string;
  hint?: string;
  /** The job whose image replaces the icon. */
  job?: Job;
  run: () => void;
}

/** Each typed word must begin a word of an entry. Entries that begin with the typed text come first. */
export function findEntries(entries: readonly Entry[], text: string): Entry[] {
  const wanted = wordsOf(text);
  const found = entries.filter((entry) => {
    const words = wordsOf(`${entry.name} ${entry.words ?? ''}`);
    return wanted.every((word) => words.some((one) => one.startsWith(word)));
  });
  const rank = ({ name }: Entry) => (name.toLowerCase().startsWith(text.trim().toLowerCase()) ? 0 : 1);
  return found.sort((one, other) => rank(one) - rank(other));
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '');
}
