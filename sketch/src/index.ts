import { drawScene } from './draw-scene.ts';
import { editInputs } from './edit/edit-inputs.ts';
import { renderPicture } from './render.ts';
import type { SketchRequest } from './request.ts';
import { readScene } from './scene/read-scene.ts';
import { setStage } from './stage.ts';

export { type SketchInput, type SketchRequest, UnreadableInput } from './request.ts';
export { suggestRatio } from './suggest-ratio.ts';

/** A PNG of exactly the pixels asked for; the same request makes the same bytes. @throws UnreadableInput */
export async function drawSketch(request: SketchRequest, signal: AbortSignal): Promise<Buffer> {
  if (request.inputs.length > 0) return editInputs(request, signal);
  const scene = readScene(request.prompt, request.seed);
  const stage = setStage(scene, request);
  return renderPicture(drawScene(scene, stage), stage, request, signal);
}
