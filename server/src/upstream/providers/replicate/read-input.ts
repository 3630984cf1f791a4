import { allRatios } from '../../catalog/models.ts';
import { pick, pickList, pickText } from '../pick.ts';
import type { ReplicateSettings } from './settings.ts';

/** Names that models give their field for input images, the most specific first. */
const inputFields = ['image_input', 'input_images', 'input_image', 'reference_images', 'images', 'image'];

const maxInputs = 14;

/**
 * Reads what a model's schema says about its settings. Undefined for a model without a prompt. For a model without a
 * schema, the settings are empty, and the adapter guesses from the model's name.
 */
export function readInput(model: unknown): Omit<ReplicateSettings, 'model'> | undefined {
  const schemas = pick(model, 'latest_version', 'openapi_schema', 'components', 'schemas');
  const properties = pick(schemas, 'Input', 'properties');
  if (properties === undefined) return {};
  if (pick(properties, 'prompt') === undefined) return undefined;
  const ratios = ratiosOf(schemas, properties);
  const isExact = ratios.length === 0 && pick(properties, 'width') && pick(properties, 'height');
  const inputField = inputFields.find((field) => pick(properties, field) !== undefined);
  const isList = inputField && pickText(properties, inputField, 'type') === 'array';
  return {
    ...(ratios.length > 0 ? { ratios } : {}),
    ...(isExact ? { sizeBy: 'width_height' } : {}),
    ...(inputField ? { inputField, inputStyle: isList ? 'list' : 'numbered' } : {}),
    ...(inputField
      ? {
          maxInputs: isList ? listLimit(pick(properties, inputField)) : countNumbered(properties, inputField),
        }
      : {}),
  };
}

/** The maximum number of inputs in a list. Schemas seldom state it, so the default is four, which most models take. */
function listLimit(field: unknown): number {
  const limit = pick(field, 'maxItems');
  return typeof limit === 'number' ? Math.min(limit, maxInputs) : 4;
}

function countNumbered(properties: unknown, field: string): number {
  let count = 1;
  while (count < maxInputs && pick(properties, `${field}_${count + 1}`) !== undefined) count += 1;
  return count;
}

/** Reads the ratios from the separate schema to which the property usually refers, or else from the property itself. */
function ratiosOf(schemas: unknown, properties: unknown): string[] {
  const named = pickList(schemas, 'aspect_ratio', 'enum');
  const listed = named.length > 0 ? named : pickList(properties, 'aspect_ratio', 'enum');
  return allRatios.filter((ratio) => listed.includes(ratio));
}
