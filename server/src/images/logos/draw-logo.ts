import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Logo } from '../../base/brand/brand.ts';
import { Overloaded } from '../../base/std/overloaded.ts';
import { invalidField } from '../../errors.ts';
import { askChild } from '../inputs/ask-child.ts';
import { createChildPool } from '../inputs/child-pool.ts';
import { createSemaphore } from '../inputs/semaphore.ts';
import { type LogoRequest, parseLogoReply } from './logo-messages.ts';

export const maxLogoBytes = 262_144;
/** The time limit for a drawing, which usually takes 0.1 s. Nested filters in 1.5 KB of SVG can take hours. */
const drawMs = 5_000;
const childBytes = 400_000_000;
/** The longest wait for a slot: enough for two drawings that take their full time, and for starting their processes. */
const waitMs = 15_000;

const childScript = fileURLToPath(new URL('./logo-child.ts', import.meta.url));
/** Draws one logo at a time, because brands seldom change and clients need the processors. */
const slots = createSemaphore(1);

/** Draws a logo as PNG, in a process that can be killed. @throws AppError `invalid_request`, Overloaded */
export async function drawLogo(file: Buffer): Promise<Logo> {
  if (file.length > maxLogoBytes) throw refused('is larger than 256 KiB.');
  const leave = await takeSlot();
  try {
    // Children are not reused: the next logo comes in weeks, and the command line cannot exit before its last child.
    await using children = createChildPool({ script: childScript, idleMs: 0 });
    const reply = await askChild(children, {
      request: { file: file.toString('base64'), childBytes } satisfies LogoRequest,
      limitMs: drawMs,
      parse: parseLogoReply,
      signal: new AbortController().signal,
    });
    if (!reply) throw refused('takes too much time or memory to draw. Make it simpler, or send a PNG.');
    if (reply.kind === 'unknown') throw refused('must be a PNG, JPEG, WebP or SVG file.');
    if (reply.kind === 'broken') throw refused('cannot be read as an image.');
    const { width, height, unseenOn } = reply;
    const bytes = Buffer.from(reply.png, 'base64');
    return { bytes, width, height, hash: createHash('sha256').update(bytes).digest('hex'), unseenOn };
  } finally {
    leave();
  }
}

async function takeSlot(): Promise<() => void> {
  try {
    return await slots.take(1, AbortSignal.timeout(waitMs), 'logos');
  } catch {
    throw new Overloaded('Too many logos are being drawn at once. Send the request again shortly.');
  }
}

function refused(detail: string) {
  return invalidField('/logo', detail);
}
