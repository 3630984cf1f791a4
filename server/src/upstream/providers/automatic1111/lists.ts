import { failure } from '../failure.ts';
import { pickList, pickText } from '../pick.ts';
import type { Automatic1111Settings } from './settings.ts';

const lists = [
  { setting: 'model', path: 'sd-models', names: ['title', 'model_name', 'filename'] },
  { setting: 'sampler', path: 'samplers', names: ['name', 'aliases'] },
  { setting: 'scheduler', path: 'schedulers', names: ['name', 'label', 'aliases'] },
] as const;

/** Refuses settings with names unknown to the server, which would ignore them and draw with the loaded model. */
export async function findMissing(
  settings: Automatic1111Settings,
  list: (path: string) => Promise<unknown>,
): Promise<void> {
  for (const { setting, path, names } of lists) {
    const wanted = settings[setting];
    // The list of models is always read, to see whether the server answers.
    if (wanted === undefined && setting !== 'model') continue;
    const known = pickList(await list(path)).flatMap((each) =>
      names.flatMap((name) => [pickText(each, name) ?? [], pickList(each, name)].flat().map(String)),
    );
    const isKnown = known.flatMap(formsOf).includes(wanted ?? '');
    if (wanted !== undefined && !isKnown)
      throw failure('model_not_found', {
        detail: `the server has no ${setting} "${wanted}"; it has ${known.slice(0, 12).join(', ')}`,
      });
  }
}

/** A setting may name `models/sdxl.safetensors [31e35c80fc]` in full, or without hash, folder or extension. */
function formsOf(name: string): string[] {
  const plain = name.replace(/ \[\w+\]$/, '');
  const base = plain.slice(plain.lastIndexOf('/') + 1);
  return [name, plain, base, base.replace(/\.\w+$/, '')];
}
