export { drawSketch } from './draw-in-thread.ts';
export { type SketchInput, type SketchRequest, UnreadableInput } from './request.ts';
export { suggestRatio } from './suggest-ratio.ts';
