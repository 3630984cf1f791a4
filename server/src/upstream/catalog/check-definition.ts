import type { TLocalizedValidationError } from 'typebox/error';
import Value from 'typebox/value';
import { parseMicros } from '../../money/ledger/money.ts';
import { definitionSchema, modelIdPattern, pricePattern, ratioPattern } from './definition-schema.ts';
import { type ModelDefinition, sizeOf } from './model-definition.ts';
import type { ParameterSchema } from './models.ts';
import { valueMistake } from './parameters.ts';

export interface Mistake {
  pointer: string;
  detail: string;
}

// Ids that no model may have: words in the API's paths, `project` (which means everything in a pause), and prefixes of
// schema names.
const reserved: ReadonlySet<string> = new Set([
  'project',
  'jobs',
  'events',
  'webhook',
  'deliveries',
  'models',
  'fast',
  'known',
]);
const maxPixels = 64_000_000;

/** Finds all mistakes in a definition, except in its routes. */
export function checkDefinition(json: unknown): Mistake[] {
  const errors = Value.Errors(definitionSchema, json);
  // The validator reports an unknown field twice: at the field, and at its object.
  const places = errors.filter(({ keyword }) => keyword !== 'additionalProperties');
  const mistakes = (places.length > 0 ? places : errors).map((error) => ({
    pointer: error.instancePath,
    detail: describe(error),
  }));
  if (mistakes.length > 0) return mistakes;
  const definition = json as ModelDefinition; // `errors` is empty
  const isReserved = reserved.has(definition.id);
  return [
    ...(isReserved
      ? [{ pointer: '/id', detail: `must not be "${definition.id}", which has another meaning.` }]
      : []),
    ...checkAction(definition),
    ...checkSizes(definition),
    ...Object.entries(definition.parameters ?? {}).flatMap(([name, schema]) =>
      checkParameter(`/parameters/${name}`, schema),
    ),
  ];
}

function describe(error: TLocalizedValidationError): string {
  if (error.keyword === 'boolean') return 'is not known here; leave it out.';
  if (error.keyword === 'pattern') {
    const wanted = patternsInWords[String(error.params.pattern)];
    if (wanted !== undefined) return `must be ${wanted}.`;
  }
  return `${error.message}.`;
}

const patternsInWords: Record<string, string> = {
  [pricePattern]: 'an amount such as "0.04", with at most six decimals',
  [ratioPattern]: 'a ratio such as "16:9"',
  [modelIdPattern]: 'small letters, digits, dots and hyphens, 40 at most',
};

function checkAction({ action = 'generate', modes, maxInputs = 1 }: ModelDefinition): Mistake[] {
  if (action === 'generate') return [];
  return [
    ...(modes.includes('text')
      ? [{ pointer: '/modes', detail: `must be ["url"] of a model that does ${action}.` }]
      : []),
    ...(maxInputs > 1
      ? [{ pointer: '/maxInputs', detail: `must be 1 of a model that does ${action}.` }]
      : []),
  ];
}

function checkSizes({ ratios, resolutions }: ModelDefinition): Mistake[] {
  return Object.entries(resolutions).flatMap(([resolution, sizing]) => {
    const pointer = `/resolutions/${resolution}`;
    const mistakes: Mistake[] = [];
    if (parseMicros(sizing.price) === undefined)
      mistakes.push({
        pointer: `${pointer}/price`,
        detail: 'is above the largest amount that can be stored.',
      });
    const missing = ratios.filter((ratio) => !sizeOf(sizing, ratio));
    if (missing.length > 0)
      mistakes.push({ pointer, detail: `needs "megapixels", or "sizes" for ${missing.join(', ')}.` });
    const large = ratios.filter((ratio) => {
      const { width = 0, height = 0 } = sizeOf(sizing, ratio) ?? {};
      return width * height > maxPixels;
    });
    if (large.length > 0)
      mistakes.push({
        pointer,
        detail: `makes images of more than 64 million pixels for ${large.join(', ')}.`,
      });
    return mistakes;
  });
}

function checkParameter(pointer: string, schema: ParameterSchema): Mistake[] {
  const { default: byDefault, enum: values, ...rest } = schema;
  const mistakes = (values ?? []).flatMap((value, index) => {
    const detail = valueMistake(rest, value);
    return detail === undefined ? [] : [{ pointer: `${pointer}/enum/${index}`, detail }];
  });
  if (schema.minimum !== undefined && schema.maximum !== undefined && schema.minimum > schema.maximum)
    mistakes.push({ pointer: `${pointer}/minimum`, detail: 'must not be larger than the maximum.' });
  const ofDefault = byDefault === undefined ? undefined : valueMistake(schema, byDefault);
  if (ofDefault !== undefined) mistakes.push({ pointer: `${pointer}/default`, detail: ofDefault });
  return mistakes;
}
