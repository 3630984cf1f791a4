import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { spec, type TestEvent } from 'node:test/reporters';
import './cheap-passwords.ts';
import { run } from './track-tests.ts';

// This process runs test files for scripts/test.ts one after the other, so it compiles the server only once. Each file
// has its own root suite, so that the file's hooks run when it ends.

export interface Order {
  file: string;
  untilFailure: boolean;
}

export interface Report {
  text: string;
  failed: boolean;
  /** How many tests passed, failed and so on, under the names that Node uses. */
  counts: [name: string, count: number][];
  /** Processor time of this process and of its children that have ended, in milliseconds. */
  cpuMs: number;
  residentBytes: number;
}

// A test that takes longer fails, because it must be waiting for an event that never comes. The longest test takes a
// minute and a half, and on a busy machine five times as long.
const hangMs = 9 * 60_000;
/** The unit of /proc/PID/stat, the same on every Linux that runs Node. */
const tickMs = 10;

let events: TestEvent[] = [];
let isRunningFile = false;

process.on('message', async ({ file, untilFailure }: Order) => {
  const began = usedMs();
  events = [];
  isRunningFile = true;
  // Makes Node consider a file ended once no work is left, as if the process were exiting.
  process.channel?.unref();
  for await (const event of run({ files: [file], isolation: 'none', timeout: hangMs })) {
    events.push(event);
    if (untilFailure && event.type === 'test:fail') break;
  }
  process.channel?.ref();
  const { toWrite, counts, failed } = summarise(events);
  const report: Report = {
    text: await write(toWrite),
    // Node also sets the exit code for an error outside a test.
    failed: failed || Boolean(process.exitCode),
    counts,
    cpuMs: usedMs() - began,
    residentBytes: process.memoryUsage.rss(),
  };
  process.exitCode = 0;
  isRunningFile = false;
  // Writes the compile cache, so that the processes that tests start and kill find compiled code.
  flushCompileCache();
  process.send?.(report);
});

// The parent process has died. Ends this process and its tests' servers, which are all in its group.
process.on('disconnect', () => {
  if (isRunningFile) process.kill(0, 'SIGKILL');
});

// The parent process sends SIGTERM when the file takes too long, or when something that the file left open keeps this
// process from ending.
process.on('SIGTERM', async () => {
  const open = process.getActiveResourcesInfo().join(', ');
  process.stdout.write(`${await write(summarise(events).toWrite)}\nstill open: ${open}\n`, () =>
    process.exit(1),
  );
});

function summarise(events: readonly TestEvent[]) {
  const toWrite: TestEvent[] = [];
  const counts: Report['counts'] = [];
  let failed = true;
  for (const event of events) {
    if (event.type === 'test:summary') failed = !event.data.success;
    const [, name, count] =
      (event.type === 'test:diagnostic' && /^([a-z]+) (\d+)$/.exec(event.data.message)) || [];
    if (name !== undefined) counts.push([name, Number(count)]);
    else if (event.type !== 'test:summary' && !isDuration(event)) toWrite.push(event);
  }
  return { toWrite, counts, failed };
}

function isDuration(event: TestEvent): boolean {
  return event.type === 'test:diagnostic' && event.data.message.startsWith('duration_ms ');
}

async function write(events: readonly TestEvent[]): Promise<string> {
  const reporter = new spec();
  for (const event of events) reporter.write(event);
  reporter.end();
  const chunks: unknown[] = await reporter.toArray();
  return chunks.join('');
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + childrenMs();
}

/** Processor time of ended children; 0 if the system does not report it. */
export function childrenMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return tickMs * (Number(fields[13]) + Number(fields[14]));
  } catch {
    return 0;
  }
}
