import Type, { type Static } from 'typebox';
import { modelIds, resolutions } from './catalog/models.ts';

const price = Type.String({
  pattern: '^\\d{1,10}(\\.\\d{1,6})?$',
  description: 'A decimal amount, such as "0.04".',
});
const seconds = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description });

const route = Type.Object(
  {
    provider: Type.String({ description: 'Which provider serves the route, such as "sketch".' }),
    slots: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: 'Jobs at once, over all workers together.' }),
    ),
    timeoutSeconds: Type.Optional(seconds('The longest that one attempt may take.')),
  },
  { additionalProperties: false },
);

/** The configuration file (`DARKROOM_CONFIG`). Everything is optional; unknown names are refused. */
export const configFileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    currency: Type.Optional(
      Type.String({ minLength: 1, maxLength: 10, description: 'A label, "USD" by default.' }),
    ),
    prices: Type.Optional(
      Type.Partial(
        Type.Object(
          Object.fromEntries(
            modelIds.map((model) => [
              model,
              Type.Partial(
                Type.Object(Object.fromEntries(resolutions.map((name) => [name, price])), {
                  additionalProperties: false,
                }),
              ),
            ]),
          ),
          { additionalProperties: false },
        ),
      ),
    ),
    routes: Type.Optional(
      Type.Partial(
        Type.Object(
          Object.fromEntries(modelIds.map((model) => [model, Type.Array(route, { minItems: 1 })])),
          {
            additionalProperties: false,
          },
        ),
        { description: 'Per model, the routes in the order in which they are tried.' },
      ),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          concurrency: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 10_000, description: 'Jobs at once in one worker process.' }),
          ),
          jobSeconds: Type.Optional(seconds('From the first attempt to the end of the last.')),
          queuedSeconds: Type.Optional(seconds('How long a job may wait for its first attempt.')),
          requestsPerSecond: Type.Optional(
            Type.Number({ exclusiveMinimum: 0, description: 'Per key; no limit by default.' }),
          ),
          requestBurst: Type.Optional(
            Type.Integer({ minimum: 1, description: 'Requests at once after a pause.' }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    retentionDays: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 3_650,
        description: 'How long jobs and images are kept; 30 by default.',
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'https://darkroom.example/config.schema.json',
    title: 'Darkroom configuration',
  },
);

export type ConfigFile = Static<typeof configFileSchema>;
