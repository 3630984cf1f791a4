import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface MemoryGroup extends AsyncDisposable {
  /** A process that writes its id, or `0`, to this file joins the group, together with all processes that it starts. */
  procs: string;
  /** How many of the group's processes the system has killed for lack of memory. */
  kills(): number;
  /** The most memory that the group used at once, including the system's file cache; 0 if unknown. */
  mostBytes(): number;
}

interface Version {
  root: string;
  /** A file whose text shows that groups of this cgroup version can limit memory. */
  shown: [file: string, words: RegExp];
  limits: (bytes: number) => [file: string, limit: string][];
  killsIn: string;
  mostIn: string;
}

const versions: readonly Version[] = [
  {
    root: '/sys/fs/cgroup',
    shown: ['cgroup.subtree_control', /\bmemory\b/],
    limits: (bytes) => [
      ['memory.max', String(bytes)],
      ['memory.swap.max', '0'],
    ],
    killsIn: 'memory.events',
    mostIn: 'memory.peak',
  },
  {
    root: '/sys/fs/cgroup/memory',
    shown: ['memory.limit_in_bytes', /\d/],
    limits: (bytes) => [
      ['memory.limit_in_bytes', String(bytes)],
      // The file with the limit of memory and swap together.
      ['memory.memsw.limit_in_bytes', String(bytes)],
    ],
    killsIn: 'memory.oom_control',
    mostIn: 'memory.max_usage_in_bytes',
  },
];

let made = 0;

/** @returns the reason if this process cannot create one */
export async function openMemoryGroup(bytes: number): Promise<MemoryGroup | string> {
  const version = versions.find(({ root, shown: [file, words] }) => words.test(read(join(root, file))));
  if (!version) return 'the system has no cgroups that limit memory';
  made += 1;
  const folder = join(version.root, `darkroom-test-${process.pid}-${made}`);
  try {
    await mkdir(folder);
  } catch (error) {
    return `a cgroup cannot be made: ${String(error)}`;
  }
  const procs = join(folder, 'cgroup.procs');
  const group = {
    procs,
    kills: () => Number(/^oom_kill (\d+)/m.exec(read(join(folder, version.killsIn)))?.[1] ?? 0),
    mostBytes: () => Number(read(join(folder, version.mostIn))),
    async [Symbol.asyncDispose]() {
      while (read(procs) !== '') await sleep(10);
      await rmdir(folder);
    },
  };
  for (const [file, limit] of version.limits(bytes)) {
    // Systems without swap may have no such limit.
    if (existsSync(join(folder, file))) await writeFile(join(folder, file), limit);
  }
  return group;
}

function read(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
