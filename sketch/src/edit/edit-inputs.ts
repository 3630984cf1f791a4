import type { Sharp } from 'sharp';
import type { Colour } from '../colour.ts';
import { drawAdditions } from '../draw-additions.ts';
import { encode, type Pixels, renderOverlay } from '../render.ts';
import { type Drawing, type DrawingInput, UnreadableInput } from '../request.ts';
import { readAdditions } from '../scene/read-scene.ts';
import { type Stage, setStage } from '../stage.ts';
import { box, stroke } from '../svg.ts';
import { drawCaption } from './caption.ts';
import { compose, type Print } from './compose.ts';
import { type Edit, frameShare } from './edit.ts';
import { applyEffects, open, type RawImage } from './finish.ts';
import { readEdit } from './read-edit.ts';

export async function editInputs(request: Drawing, signal: AbortSignal): Promise<Uint8Array> {
  const pixels: Pixels = { width: request.width, height: request.height };
  const edit = readEdit(request.prompt);
  const prints = request.inputs.map((input) => turn(input, edit));
  const composed = await readable(() => compose(prints, edit, pixels, request.seed ?? request.prompt));
  signal.throwIfAborted();
  const finished = await applyEffects(composed, edit);
  signal.throwIfAborted();
  return encode(await decorate(finished, edit, request));
}

function turn({ bytes, width, height }: DrawingInput, edit: Edit): Print {
  const upright = Math.abs(edit.rotate % 180) < 45 || Math.abs(edit.rotate % 180) > 135;
  return upright ? { bytes, width, height } : { bytes, width: height, height: width };
}

/** Throws UnreadableInput if libvips cannot read an input, because the client has to replace it. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new UnreadableInput('An input image could not be decoded.', { cause });
  }
}

async function decorate(
  picture: RawImage,
  edit: Edit,
  { prompt, seed }: Pick<Drawing, 'prompt' | 'seed'>,
): Promise<Sharp> {
  const scene = readAdditions(edit.night ? `${prompt} moon star` : prompt, seed);
  const stage = setStage(scene, picture);
  const drawn = [
    drawAdditions(scene, stage),
    edit.caption ? drawCaption(edit.caption, stage, edit.frame !== undefined) : '',
    edit.frame ? drawFrame(edit.frame, stage) : '',
  ].join('');
  const image = await open(picture);
  return drawn ? image.composite([await renderOverlay(drawn, stage, picture)]).removeAlpha() : image;
}

function drawFrame(colour: Colour, { width, height, unit }: Stage): string {
  const band = unit * frameShare;
  return (
    stroke(box(band / 2, band / 2, width - band, height - band), colour, band) +
    stroke(box(0, 0, width, height), colour, band)
  );
}
