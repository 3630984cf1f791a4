import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { until } from './server.ts';

/** A system call of any thread: its arguments, its result, and its place among all others at its beginning and end. */
export interface TracedCall {
  name: string;
  /** Arguments as strace prints them; a descriptor is followed by its file as `<path>`. */
  given: string;
  /** NaN if the process ended first. */
  returned: number;
  beganAt: number;
  returnedAt: number;
}

const recorded =
  'mkdir,openat,?rename,?renameat,fsync,fdatasync,write,writev,pwrite64,pwritev,sendto,sendmsg';

/** For `skip`: why processes cannot be traced here, or false if they can. */
export const noTracing = whyNoTracing();

/** A command line that records a program's system calls in a file. The tracer ends with the program. */
export function tracing(file: string): (command: string) => string {
  return (command) => `exec strace -D -f -qq -y -o ${file} -e trace=${recorded} ${command}`;
}

export async function readCalls(file: string, pid: number): Promise<TracedCall[]> {
  const ended = new RegExp(`^${pid} +\\+\\+\\+ (exited|killed)`, 'm');
  const text = await until(() => {
    const soFar = readFileSync(file, 'utf8');
    return ended.test(soFar) && soFar;
  });
  const calls: TracedCall[] = [];
  const underWay = new Map<string, { text: string; beganAt: number }>();
  for (const [at, line] of text.split('\n').entries()) {
    const [, thread = '', said = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const begun = / <unfinished \.\.\.>$/.exec(said);
    if (begun) {
      underWay.set(thread, { text: said.slice(0, begun.index), beganAt: at });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(said);
    const before = resumed ? underWay.get(thread) : { text: '', beganAt: at };
    const whole = `${before?.text ?? ''}${said.slice(resumed?.[0].length ?? 0)}`;
    const call = /^(?<name>\w+)\((?<given>.*)\) += (?<returned>-?\d+|\?)/s.exec(whole)?.groups;
    if (!call || !before) continue;
    const { name = '', given = '', returned = '' } = call;
    calls.push({ name, given, returned: Number(returned), beganAt: before.beganAt, returnedAt: at });
  }
  return calls;
}

function whyNoTracing(): string | false {
  const probe = spawnSync('/bin/sh', ['-c', tracing('/dev/null')('true')]);
  return probe.status === 0 ? false : 'NOT TESTED: system calls are seen by strace, which does not run here';
}
