import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

export interface ChildPool extends AsyncDisposable {
  readonly script: string;
  take(): ChildProcess;
  keep(child: ChildProcess): void;
  end(child: ChildProcess): void;
  /** Whether the child has sent a message, which proves that its program can start. */
  hasStarted(child: ChildProcess): boolean;
  warmUp(): void;
  pids(): number[];
}

interface ChildOptions {
  script: string;
  idleMs: number;
  /** POSIX niceness, 0 to 19. */
  nice?: number;
}

export function createChildPool({ script, idleMs, nice = 0 }: ChildOptions): ChildPool {
  const running = new Set<ChildProcess>();
  const started = new WeakSet<ChildProcess>();
  const idle: ChildProcess[] = [];
  const retiring = new Map<ChildProcess, NodeJS.Timeout>();
  let closed = false;

  function start(): ChildProcess {
    const child = startChild(script);
    giveWay(child);
    if (nice > 0) yieldTo(child, nice);
    running.add(child);
    const gone = () => {
      running.delete(child);
      const index = idle.indexOf(child);
      if (index >= 0) idle.splice(index, 1);
      clearTimeout(retiring.get(child));
      retiring.delete(child);
    };
    return child
      .once('message', () => started.add(child))
      .once('exit', gone)
      .once('error', gone);
  }

  function keep(child: ChildProcess): void {
    if (closed || !child.connected) end(child);
    else {
      idle.push(child);
      retiring.set(child, setTimeout(() => end(child), idleMs).unref());
    }
  }

  return {
    script,
    take() {
      if (closed) throw new Error('the decoder is closed');
      const child = idle.pop() ?? start();
      clearTimeout(retiring.get(child));
      return child;
    },
    keep,
    end,
    hasStarted: (child) => started.has(child),
    warmUp() {
      if (!closed && running.size === 0) keep(start());
    },
    pids: () => [...running].flatMap((child) => child.pid ?? []),
    async [Symbol.asyncDispose]() {
      closed = true;
      await Promise.all([...running].map((child) => Promise.all([once(child, 'exit'), end(child)])));
    },
  };
}

/** The variables that a program needs to start, and no others, so that an exploit in an image finds no credentials. */
const passedOn = ['PATH', 'LANG', 'TZ', 'LD_LIBRARY_PATH', 'SYSTEMROOT', 'TEMP', 'TMP', 'TMPDIR'];

function startChild(script: string): ChildProcess {
  const inherited = passedOn.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return fork(script, {
    execPath: process.execPath,
    execArgv: ['--max-old-space-size=64', '--no-warnings'],
    // With few heaps and threads, memory returns to the system sooner after an image.
    env: { ...Object.fromEntries(inherited), MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** Makes Linux kill the child first if memory runs out, which loses only one image. */
function giveWay({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // The system lacks the file, or the child has ended.
  }
}

function yieldTo(child: ChildProcess, nice: number): void {
  try {
    if (child.pid !== undefined) setPriority(child.pid, nice);
  } catch {
    // Either the child has ended, or the system refused and the child runs at normal priority.
  }
}

/** A process that hangs or was taken over may ignore other signals. */
function end(child: ChildProcess): void {
  child.kill('SIGKILL');
}
