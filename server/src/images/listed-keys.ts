import { assertKey } from './image-store.ts';

/** What `list` takes: nothing, a key, or a key and a closing slash. */
export function assertPrefix(prefix: string): void {
  if (prefix !== '') assertKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

/** Stores hold strangers too (`lost+found`, a folder marker): those are no objects of ours and are never listed. */
export function isKey(text: string): boolean {
  try {
    assertKey(text);
    return true;
  } catch {
    return false;
  }
}
