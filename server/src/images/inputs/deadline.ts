import { unfetchable } from './fetch-error.ts';

export interface Deadline {
  signal: AbortSignal;
  set(ms: number, what: string): void;
  restart(): void;
  end(): void;
}

/** Limits each stage of a download with one timer. Also aborts with the `outer` signal. */
export function createDeadline(outer: AbortSignal): Deadline {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: AbortSignal.any([outer, controller.signal]),
    set(ms, what) {
      clearTimeout(timer);
      timer = setTimeout(
        () => controller.abort(unfetchable(`The server ${what}. Try again, or host the file elsewhere.`)),
        ms,
      );
    },
    restart: () => timer?.refresh(),
    end: () => clearTimeout(timer),
  };
}

export function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
