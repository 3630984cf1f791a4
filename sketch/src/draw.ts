import { drawScene } from './draw-scene.ts';
import { editInputs } from './edit/edit-inputs.ts';
import { cutOut, renderPicture } from './render.ts';
import type { Drawing } from './request.ts';
import { readScene } from './scene/read-scene.ts';
import { setStage } from './stage.ts';

export async function draw(drawing: Drawing, signal: AbortSignal): Promise<Uint8Array> {
  const picture = await drawWhole(drawing, signal);
  return drawing.transparent ? cutOut(picture, drawing) : picture;
}

async function drawWhole(drawing: Drawing, signal: AbortSignal): Promise<Uint8Array> {
  if (drawing.inputs.length > 0) return editInputs(drawing, signal);
  const scene = readScene(drawing.prompt, drawing.seed);
  const stage = setStage(scene, drawing);
  return renderPicture(drawScene(scene, stage), stage, drawing, signal);
}
