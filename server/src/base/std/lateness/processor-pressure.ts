import { readFileSync } from 'node:fs';

// The files of the process's control group, which can have its own limit, and of the machine. The higher share counts.
const files = ['/sys/fs/cgroup/cpu.pressure', '/proc/pressure/cpu'];

/** The share of the last minute in which a task waited for a processor, on Linux; undefined on other systems. */
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
