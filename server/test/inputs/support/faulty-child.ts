/** Acts as a decoder that an image has crashed, hung or taken over, depending on the source's name. */
import { existsSync, writeFileSync } from 'node:fs';

/** How long the child works, in limits of time. */
const workLimits = 1.2;
const good = {
  kind: 'decoded',
  file: { mediaType: 'image/png', width: 1, height: 1, bytes: 1, sha256: 'a'.repeat(64) },
};
const lies: Record<string, unknown> = {
  'wrong type': { ...good, file: { ...good.file, mediaType: 'text/html' } },
  'wrong size': { ...good, file: { ...good.file, width: -1 } },
  'no file': { kind: 'decoded' },
  nonsense: 'hello',
};

process.send?.({ kind: 'ready' });

process.on(
  'message',
  ({ source, target, limits }: { source: string; target: string; limits: { imageMs: number } }) => {
    if (source === 'crash') process.kill(process.pid, 'SIGSEGV');
    if (source === 'hang') for (;;);
    if (source === 'work') {
      for (const doneAt = performance.now() + workLimits * limits.imageMs; performance.now() < doneAt; );
      process.send?.(good);
    }
    if (source === 'crash once') {
      if (existsSync(target)) process.send?.(good);
      else {
        writeFileSync(target, '');
        process.kill(process.pid, 'SIGSEGV');
      }
    }
    if (source === 'environment')
      process.send?.({ ...good, file: { ...good.file, width: Object.keys(process.env).length } });
    if (source === 'good') process.send?.(good);
    if (source in lies) process.send?.(lies[source]);
  },
);
