import type { ByteRange } from '../../../../images/image-store.ts';

const pattern = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/** Null for the whole body, also for several ranges or an invalid header, which may be ignored (RFC 9110, 14.2). */
export function readRange(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | null {
  const [, from, to] = pattern.exec(header?.trim() ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return null;
  const first = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const last = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (from !== '' && to !== '' && Number(from) > Number(to)) return null;
  return first < bytes ? { first, last } : 'unsatisfiable';
}
