import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const ticksASecond = 100;
const pageBytes = 4096;
/** A process that uses less than this share of a processor is quiet. */
const quiet = 0.06;
const lookMs = 500;

interface Used {
  cpuMs: number;
  rssBytes: number;
}

/** Reads from /proc the resources used by a process and its descendants, including those that have ended. */
export function usedBy(pid: number): Used {
  const parents = new Map<number, number[]>();
  const stats = new Map<number, string[]>();
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = statOf(Number(name));
    if (!stat) continue;
    stats.set(Number(name), stat);
    const parent = Number(stat[1]);
    parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
  }
  const used = { cpuMs: 0, rssBytes: 0 };
  const add = (one: number): void => {
    const stat = stats.get(one);
    const ticks = (stat?.slice(11, 15) ?? []).reduce((sum, part) => sum + Number(part), 0);
    used.cpuMs += (ticks * 1000) / ticksASecond;
    used.rssBytes += Number(stat?.[21] ?? 0) * pageBytes;
    parents.get(one)?.forEach(add);
  };
  add(pid);
  return used;
}

/** Returns the fields of /proc/PID/stat after the process's name, beginning with its state. */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
  } catch {
    return undefined; // it has ended
  }
}

/** Waits until a process has finished the work that it does after answering, such as making renditions. */
export async function untilQuiet(pid: number, mostMs: number): Promise<void> {
  for (const giveUpAt = performance.now() + mostMs; performance.now() < giveUpAt; ) {
    const before = usedBy(pid).cpuMs;
    await sleep(lookMs);
    if (usedBy(pid).cpuMs - before < quiet * lookMs) return;
  }
}
