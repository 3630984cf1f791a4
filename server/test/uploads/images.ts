import { makeGoodFiles } from '../inputs/support/hostile-files.ts';

const { jpeg } = await makeGoodFiles();

/** A photo of 320 × 240. */
export const photo = jpeg;

/** The same photo with leading comments, so that the file has this many bytes. */
export function photoOf(bytes: number): Buffer {
  const comments: Buffer[] = [];
  for (let left = bytes - photo.length; left > 0; ) {
    const size = left > 130_000 ? 65_537 : left > 65_537 ? Math.floor(left / 2) : left;
    const comment = Buffer.alloc(size, 'x');
    comment.writeUInt16BE(0xfffe, 0);
    comment.writeUInt16BE(size - 2, 2);
    comments.push(comment);
    left -= size;
  }
  return Buffer.concat([photo.subarray(0, 2), ...comments, photo.subarray(2)]);
}
