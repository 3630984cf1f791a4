import { untilNext } from '../../base/std/until-next.ts';

const lookEveryMs = 250;

/** npm starts this process through a shell, which a signal kills without reaching us. Only the parent id changes. */
export function onceOrphaned(callback: () => void): void {
  const parent = process.ppid;
  const look = () => (process.ppid === parent ? lookLater() : callback());
  const lookLater = () => void setTimeout(look, untilNext(lookEveryMs)).unref();
  lookLater();
}
