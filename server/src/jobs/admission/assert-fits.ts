import { invalidField } from '../../errors.ts';
import type { Model, ParameterValue } from '../../upstream/catalog/models.ts';
import { valueMistake } from '../../upstream/catalog/parameters.ts';

/** The fields to check against the model if no schema of the model has checked them. */
export interface Wanted {
  aspectRatio: string;
  resolution: string | undefined;
  inputs: number;
  parameters: Readonly<Record<string, ParameterValue>>;
}

/** @throws AppError `invalid_request` */
export function assertFits(model: Model, { aspectRatio, resolution, inputs, parameters }: Wanted): void {
  const { ratios, auto, selectable, resolutions, maxInputs } = model;
  const allowed = auto ? [...ratios, 'auto'] : ratios;
  if (!allowed.includes(aspectRatio))
    throw invalidField('/aspect_ratio', `must be one of ${allowed.join(', ')}.`);
  if (!selectable && resolution !== undefined)
    throw invalidField('/resolution', `is not a field of the model ${model.id}.`);
  if (resolution !== undefined && !resolutions.has(resolution))
    throw invalidField('/resolution', `must be one of ${[...resolutions.keys()].join(', ')}.`);
  if (!model.modes.includes(inputs > 0 ? 'url' : 'text'))
    throw invalidField('/inputs', inputs > 0 ? 'must be empty: the model takes none.' : 'must not be empty.');
  if (inputs > maxInputs) throw invalidField('/inputs', `must have at most ${maxInputs} entries.`);
  for (const [name, value] of Object.entries(parameters)) {
    const schema = model.parameters[name];
    const mistake = schema ? valueMistake(schema, value) : 'is not known here; leave it out.';
    if (mistake !== undefined) throw invalidField(`/parameters/${name}`, mistake);
  }
}
