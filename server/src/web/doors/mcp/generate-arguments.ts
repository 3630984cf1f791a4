import Type, { type Static } from 'typebox';
import type { ApiKey } from '../../../accounts/key-store.ts';
import { maxUrlLength } from '../../../base/guard/check-url.ts';
import { closed, oneOf } from '../../../base/http/schemas.ts';
import { maxInputs } from '../../../images/inputs/limits.ts';
import type { Catalogue } from '../../../upstream/catalog/catalogue.ts';
import { type Model, maxPromptLength } from '../../../upstream/catalog/models.ts';
import { outputFields } from '../../api/nouns/jobs/output-fields.ts';
import { waitSeconds } from './wait-and-report.ts';

export function modelsOf(
  { catalogue }: { catalogue: Pick<Catalogue, 'list'> },
  key: ApiKey,
): readonly Model[] {
  return catalogue.list().filter(({ id }) => key.models === null || key.models.includes(id));
}

export type GenerateArguments = Static<ReturnType<typeof argumentsOf>>;

export function argumentsOf(models: readonly Model[]) {
  const ratios = new Set(models.flatMap((model) => (model.auto ? [...model.ratios, 'auto'] : model.ratios)));
  const resolutions = new Set(models.flatMap((model) => [...model.resolutions.keys()]));
  return closed({
    prompt: Type.String({
      minLength: 1,
      maxLength: maxPromptLength,
      description:
        'What the image shows: subject, surroundings, style, light, and any words in it, in quotation marks. With images: what to do with them.',
    }),
    model: Type.Optional(
      oneOf(
        models.map(({ id }) => id),
        { description: 'The model. The cheapest when left out.' },
      ),
    ),
    aspect_ratio: Type.Optional(
      oneOf([...ratios], {
        description:
          'Width to height. By default that of the first image if the model supports it, otherwise 1:1.',
      }),
    ),
    resolution: Type.Optional(
      oneOf([...resolutions], {
        description: 'How large. The smallest when left out; ask for more only when it is needed.',
      }),
    ),
    images: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: maxUrlLength }), {
        maxItems: maxInputs,
        description:
          'Images to edit or to work from, in the order in which the prompt mentions them: http(s) URLs, or the job_id of earlier images.',
      }),
    ),
    mask: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: maxUrlLength },
        description:
          'A mask of the first image: only white parts change. An http(s) URL, or the job_id of an earlier image.',
      }),
    ),
    ...outputFields,
    wait_seconds: waitSeconds(
      'How long to wait for the image: 0 returns its job_id at once. By default as long as possible.',
    ),
  });
}

const checked = new WeakMap<readonly Model[], ReturnType<typeof argumentsOf>>();

export function checkedArguments(models: readonly Model[]): ReturnType<typeof argumentsOf> {
  const known = checked.get(models) ?? argumentsOf(models);
  checked.set(models, known);
  return known;
}
