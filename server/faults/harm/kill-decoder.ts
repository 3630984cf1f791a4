import { readFileSync } from 'node:fs';
import { childrenOf } from './trace-syncs.ts';

/** Kills a child that decodes or scales images, as a system short of memory would. False if there is none. */
export function killDecoder(pid: number): boolean {
  const decoder = childrenOf(pid).find((child) => /(decoder|rendition)-child/.test(commandOf(child)));
  return decoder !== undefined && kill(decoder);
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false; // it ended meanwhile
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
