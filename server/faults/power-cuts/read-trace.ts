import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';

export type Step =
  | { kind: 'write'; file: string; at: number; bytes: Buffer }
  | { kind: 'truncate'; file: string; length: number }
  /** The sync of a file or folder has ended. All changes before step `began` are now on the disk. */
  | { kind: 'synced'; path: string; began: number }
  | { kind: 'image'; path: string }
  /** Jobs that an answer named, with their states. */
  | { kind: 'told'; jobs: { id: string; status: string }[] };

interface Begun {
  text: string;
  steps: number;
}

const unfinished = ' <unfinished ...>';
/** The end of a traced line, which has the call's return value and a path, is at most this long. */
const longestEnd = 5_000;

export function tracer(trace: string, syncMs: number): string[] {
  const calls = 'openat,write,writev,sendto,sendmsg,pwrite64,ftruncate,fsync,fdatasync';
  // The maximum length of a traced text, longer than any answer and any page of a file.
  const longest = 1_000_000;
  const slow = `inject=fdatasync:delay_exit=${syncMs * 1_000}`;
  return [
    'strace',
    '-D',
    '-f',
    '-qq',
    '-y',
    '-x',
    '-s',
    `${longest}`,
    '-o',
    trace,
    '-e',
    `trace=${calls}`,
    '-e',
    slow,
  ];
}

export async function readTrace(trace: string, names: readonly string[]): Promise<Step[]> {
  const steps: Step[] = [];
  const underWay = new Map<string, Begun>();
  for await (const line of createInterface({ input: createReadStream(trace) })) {
    const thread = line.slice(0, line.indexOf(' '));
    const said = line.slice(thread.length).trimStart();
    if (said.endsWith(unfinished)) {
      const begun = { text: said.slice(0, -unfinished.length), steps: steps.length };
      underWay.set(thread, begun);
      // An answer counts from the start of its call, but a write only from its end.
      if (isAnswer(begun.text)) steps.push(...toldIn(begun.text));
      continue;
    }
    const rest = said.startsWith('<... ') ? said.slice(said.indexOf('>') + 1) : undefined;
    const before = rest === undefined ? { text: '', steps: steps.length } : underWay.get(thread);
    if (!before) continue;
    const whole = `${before.text}${rest ?? said}`;
    if (isAnswer(whole)) {
      if (rest === undefined) steps.push(...toldIn(whole));
      continue;
    }
    const step = stepOf(whole, before.steps, names);
    if (step) steps.push(step);
  }
  return steps;
}

function stepOf(call: string, began: number, names: readonly string[]): Step | undefined {
  // The trace has an open file's path after its descriptor, and a mark after a delayed call.
  const returned = Number(/\) += (-?\d+)(?:<[^>]*>)?(?: \(\w+\))?$/.exec(call.slice(-longestEnd))?.[1]);
  if (!(returned >= 0)) return;
  const made = /^openat\(.*"([^"]*\.png)", [^"]*O_CREAT/.exec(call)?.[1];
  if (made !== undefined) return { kind: 'image', path: made };
  const [, name = '', path = ''] = /^(\w+)\(\d+<([^>]*)>/.exec(call) ?? [];
  if (name === 'fsync' || name === 'fdatasync') return { kind: 'synced', path, began };
  if (path.endsWith('.png')) return { kind: 'image', path };
  const file = basename(path);
  if (!names.includes(file)) return;
  const from = call.indexOf('"');
  const to = call.lastIndexOf('"');
  if (name === 'ftruncate') return { kind: 'truncate', file, length: Number(/, (\d+)\)/.exec(call)?.[1]) };
  if (name !== 'pwrite64') throw new Error(`a ${name} of ${file} is not understood`);
  const bytes = Buffer.from(call.slice(from + 1, to).replaceAll('\\x', ''), 'hex');
  const [, length, at] = /^", (\d+), (\d+)\)/.exec(call.slice(to)) ?? [];
  if (bytes.length !== Number(length)) throw new Error(`${bytes.length} of ${length} bytes were recorded`);
  return { kind: 'write', file, at: Number(at), bytes };
}

function isAnswer(call: string): boolean {
  return /^(write|writev|sendto|sendmsg)\(\d+<(TCP|socket)/.test(call);
}

function toldIn(call: string): Step[] {
  const jobs = [...call.matchAll(/\\"job_id\\":\\"([\da-f-]{36})\\",\\"status\\":\\"(\w+)\\"/g)];
  if (jobs.length === 0) return [];
  return [{ kind: 'told', jobs: jobs.map(([, id = '', status = '']) => ({ id, status })) }];
}
