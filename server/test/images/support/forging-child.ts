/** Acts as a child that an image has taken over, and that replies with the renditions named by the source's content. */
import { readFileSync, writeSync } from 'node:fs';
import sharp from 'sharp';
import { codeOf } from '../../../src/images/disk/disk-error.ts';

/** The file that Node's messages go through. */
const channel = 3;

const blank = { width: 8, height: 8, channels: 3, background: 'white' } as const;
const whole = await sharp({ create: blank }).webp().toBuffer();
const coded = whole.toString('base64');
const forged: Record<string, unknown> = {
  good: [coded],
  none: undefined,
  'no array': coded,
  'too few': [],
  'too many': [coded, coded],
  'no text': [whole],
  empty: [''],
  'no base64': ['?'.repeat(coded.length)],
  'another file': [Buffer.from('<script>alert(1)</script>').toString('base64')],
  'cut off': [whole.subarray(0, -8).toString('base64')],
  'padded with other bytes': [Buffer.concat([whole, Buffer.alloc(8)]).toString('base64')],
};

process.send?.({ kind: 'ready' });

process.on('message', ({ source }: { source: string }) => {
  const name = readFileSync(source, 'utf8');
  const look = { thumbhash: 'A'.repeat(28), colours: [], imprint: null };
  if (name === 'too long') sendLong(look);
  else process.send?.({ kind: 'made', renditions: forged[name], ...look });
});

/** Sends a file that says of itself that it is a WebP of this length, past the limit of this process's memory. */
function sendLong(look: object): void {
  const file = Buffer.alloc(46_000_000);
  whole.copy(file);
  file.writeUInt32LE(file.length - 8, 4);
  const rest = Buffer.from(JSON.stringify({ kind: 'made', ...look }).replace('{', '"],'));
  const head = Buffer.from('{"renditions":["');
  writeAll(Buffer.concat([head, Buffer.from(file.toString('base64')), rest, Buffer.from('\n')]));
}

function writeAll(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(channel, bytes, at);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error; // the server has not read the rest yet
    }
  }
}
