import { drawSketch, suggestRatio, UnreadableInput } from '@darkroom/sketch';
import { allRatios, resolutions } from '../../catalog/models.ts';
import {
  type Capabilities,
  type ImageRequest,
  type MadeImage,
  type Provider,
  ProviderError,
  type RunContext,
} from '../provider.ts';
import { obey, parseDirectives } from './directives.ts';
import type { SketchSettings } from './settings.ts';

export const sketchCapabilities: Capabilities = {
  ratios: allRatios,
  resolutions,
  anySize: true,
  maxInputs: 14,
  resumable: false,
  exact: true,
  options: ['background', 'mask'],
};

/** Draws scenes from words that it recognises. Equal requests give equal images. */
export function createSketch({ directives = true, crash = false }: SketchSettings = {}): Provider {
  const read = (prompt: string) =>
    directives ? parseDirectives(prompt, { crash }) : { prompt, directives: [] };
  return {
    id: 'sketch',
    model: 'sketch-1',
    capabilities: sketchCapabilities,
    takesField: (path) => path === 'seed',
    suggestRatio: (prompt) => suggestRatio(read(prompt).prompt),
    generate: (request, context) =>
      untilAborted(make(request, read(request.prompt), context), context.signal),
    check: async () => ({ ok: true }),
  };
}

async function make(
  request: ImageRequest,
  { prompt, directives }: ReturnType<typeof parseDirectives>,
  context: RunContext,
): Promise<MadeImage> {
  context.signal.throwIfAborted();
  await obey(directives, context);
  try {
    const { seed } = request.fields;
    const transparent = request.options?.background === 'transparent';
    const drawing = { ...request, prompt, seed: seed === undefined ? undefined : String(seed), transparent };
    return { bytes: await drawSketch(drawing, context.signal) };
  } catch (cause) {
    if (!(cause instanceof UnreadableInput)) throw cause;
    throw new ProviderError('invalid_input', cause.message, { cause });
  }
}

/** Rejects when the signal aborts. libvips cannot be stopped, so the drawing continues and its result is dropped. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
