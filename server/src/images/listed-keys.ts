import { assertKey } from './image-store.ts';

/** Checks the argument of `list`, which is empty, a key, or a key with a trailing slash. */
export function assertPrefix(prefix: string): void {
  if (prefix !== '') assertKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

/** Whether a name is a key. Stores also contain others' entries (`lost+found`, a folder marker). */
export function isKey(text: string): boolean {
  try {
    assertKey(text);
    return true;
  } catch {
    return false;
  }
}
