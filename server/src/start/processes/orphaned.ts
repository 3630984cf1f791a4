import { untilNext } from '../../base/std/until-next.ts';

const lookEveryMs = 250;

/** Watches the parent's id: npm starts us through a shell, and a signal that kills the shell does not reach us. */
export function onceOrphaned(callback: () => void): void {
  const parent = process.ppid;
  const look = () => (process.ppid === parent ? lookLater() : callback());
  const lookLater = () => void setTimeout(look, untilNext(lookEveryMs)).unref();
  lookLater();
}
