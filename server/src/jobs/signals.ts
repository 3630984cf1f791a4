import { createMeter, type Meter } from '../base/metrics/meter.ts';

/** Hints between parts of one process. A missed hint only causes a delay, because listeners also poll. */
export interface JobSignals {
  /** Reports that jobs may be claimable. */
  queued(): void;
  onQueued(callback: () => void): () => void;
  /** Reports that workers of this process have started these jobs. */
  started(jobIds: readonly string[]): void;
  finished(jobIds: readonly string[]): void;
  onFinished(callback: () => void): () => void;
  /** Reports that a running attempt lost its job, for example because of a cancel. */
  takenAway(): void;
  onTakenAway(callback: () => void): () => void;
  finishedElsewhere(): void;
  /** Resolves when the job may have ended, after `ms`, or when the signal aborts. */
  waitForFinish(jobId: string, ms: number, signal: AbortSignal): Promise<void>;
  /** Like `waitForFinish`, and also resolves when the job may have started in this process. */
  waitForChange(jobId: string, ms: number, signal: AbortSignal): Promise<void>;
}

type Waiters = Map<string, Set<() => void>>;

export function createSignals(meter: Meter = createMeter()): JobSignals {
  const queuedCallbacks = new Set<() => void>();
  const finishedCallbacks = new Set<() => void>();
  const takenAwayCallbacks = new Set<() => void>();
  const forFinish: Waiters = new Map();
  const forChange: Waiters = new Map();

  meter.reading('darkroom_long_polls_open', 'Requests that wait for the end of a job.', [], () => [
    [sizeOf(forFinish), []],
  ]);

  return {
    queued() {
      for (const callback of queuedCallbacks) callback();
    },
    onQueued(callback) {
      queuedCallbacks.add(callback);
      return () => queuedCallbacks.delete(callback);
    },
    started(jobIds) {
      for (const jobId of jobIds) wake(forChange, jobId);
    },
    finished(jobIds) {
      for (const jobId of jobIds) {
        wake(forFinish, jobId);
        wake(forChange, jobId);
      }
      for (const callback of finishedCallbacks) callback();
    },
    onFinished(callback) {
      finishedCallbacks.add(callback);
      return () => finishedCallbacks.delete(callback);
    },
    takenAway() {
      for (const callback of takenAwayCallbacks) callback();
    },
    onTakenAway(callback) {
      takenAwayCallbacks.add(callback);
      return () => takenAwayCallbacks.delete(callback);
    },
    finishedElsewhere() {
      for (const waiters of [forFinish, forChange]) for (const jobId of waiters.keys()) wake(waiters, jobId);
    },
    waitForFinish: (jobId, ms, signal) => wait(forFinish, jobId, ms, signal),
    waitForChange: (jobId, ms, signal) => wait(forChange, jobId, ms, signal),
  };
}

function sizeOf(waiters: Waiters): number {
  return [...waiters.values()].reduce((sum, { size }) => sum + size, 0);
}

function wake(waiters: Waiters, jobId: string): void {
  for (const resolve of waiters.get(jobId) ?? []) resolve();
}

function wait(waiters: Waiters, jobId: string, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const waiting = waiters.get(jobId) ?? new Set();
    waiters.set(jobId, waiting);
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      waiting.delete(done);
      if (waiting.size === 0) waiters.delete(jobId);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    waiting.add(done);
    if (signal.aborted) done();
  });
}
