import { availableParallelism } from 'node:os';
import type { Role } from '../../config/config.ts';
import { SettingError } from '../../errors.ts';

/** The maximum number of processes. More need several machines. */
const most = 64;

/** @throws SettingError */
export function readProcessCount(text: string | undefined): number {
  if (text === undefined) return 1;
  if (text === 'auto') return availableParallelism();
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= most) return count;
  throw new SettingError(`--processes is "${text}"; it must be a whole number from 1 to ${most}, or auto.`);
}

/** Half of the processes answer requests; half make images, mostly waiting. A configured role applies to all. */
export function planProcesses(count: number, role: Role): Role[] {
  if (count === 1 || role !== 'all') return Array.from({ length: count }, () => role);
  const apis = Math.ceil(count / 2);
  return Array.from({ length: count }, (_, index) => (index < apis ? 'api' : 'worker'));
}
