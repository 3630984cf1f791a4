import { readFileSync } from 'node:fs';

// Prefers the file of the process's group, if that has its own limit, to the machine's.
const files = ['/sys/fs/cgroup/cpu.pressure', '/proc/pressure/cpu'];

/**
 * Returns the share of the last minute in which a runnable task waited for a processor, by Linux's pressure stall
 * information; undefined on other systems.
 */
export function processorPressure(): number | undefined {
  const shares = files.flatMap((file) => readShare(file) ?? []);
  return shares.length > 0 ? Math.max(...shares) : undefined;
}

function readShare(file: string): number | undefined {
  try {
    const found = /^some .*avg60=([\d.]+)/m.exec(readFileSync(file, 'utf8'));
    return found ? Number(found[1]) / 100 : undefined;
  } catch {
    return undefined; // no such file, or the kernel does not measure
  }
}
