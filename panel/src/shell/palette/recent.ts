import type { Entry } from './find-entries.ts';

const storageName = 'darkroom.recent';
const kept = 5;

/** A recently chosen entry. Its name is stored, because the fixed list of entries does not contain jobs. */
interface Recent {
  id: string;
  name: string;
}

export function readRecent(): Recent[] {
  try {
    const recent: unknown = JSON.parse(localStorage.getItem(storageName) ?? '[]');
    return Array.isArray(recent) ? recent.filter(isRecent) : [];
  } catch {
    return []; // another program's value
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
