import type { Entry } from './find-entries.ts';

const storageName = 'darkroom.recent';
const kept = 5;

/** Jobs are not among what there always is, so that their name is kept too. */
interface Recent {
  id: string;
  name: string;
}

/** Reads the recent choices, newest first. */
export function readRecent(): Recent[] {
  try {
    const recent: unknown = JSON.parse(localStorage.getItem(storageName) ?? '[]');
    return Array.isArray(recent) ? recent.filter(isRecent) : [];
  } catch {
    return []; // what somebody else wrote there
  }
}

export function rememberEntry({ id, name }: Entry): void {
  const recent = [{ id, name }, ...readRecent().filter((one) => one.id !== id)].slice(0, kept);
  localStorage.setItem(storageName, JSON.stringify(recent));
}

function isRecent(value: unknown): value is Recent {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('name' in value)) return false;
  return typeof value.id === 'string' && typeof value.name === 'string';
}
