import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { prompts } from '../panel/src/features/examples/prompts.ts';
import { drawSketch } from '../sketch/src/index.ts';

// node scripts/draw-examples.ts
// Draws the sample images that the panel shows to accounts without images. A prompt always makes the same image.
const folder = new URL('../panel/src/features/examples/', import.meta.url);
/** Twice the largest width at which the images are shown. */
const width = 480;

for (const [name, prompt] of Object.entries(prompts)) {
  const signal = new AbortController().signal;
  const png = await drawSketch({ prompt, width: 1024, height: 768, seed: '7', inputs: [] }, signal);
  const image = await sharp(png).resize({ width }).webp({ quality: 72, effort: 6 }).toBuffer();
  await writeFile(new URL(`${name}.webp`, folder), image);
  process.stdout.write(`${name}.webp ${image.length} bytes\n`);
}
process.exit(); // the drawing thread would keep the process running
