import { assertKey } from './image-store.ts';

export function assertPrefix(prefix: string): void {
  if (prefix !== '') assertKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

/** False for entries that are not ours, such as `lost+found` or a folder marker. */
export function isKey(text: string): boolean {
  try {
    assertKey(text);
    return true;
  } catch {
    return false;
  }
}
