import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { leastDays, longestDays, mostStars, type Part } from '../accounts/retention/retention.ts';
import {
  type FoundMistake,
  findRouteMistake,
  firstMistake,
  routeSchema,
} from '../jobs/routes/route-definition.ts';
import { checkDefinition } from '../upstream/catalog/check-definition.ts';
import { definitionSchema, modelIdPattern, pricePattern } from '../upstream/catalog/definition-schema.ts';
import type { ModelDefinition } from '../upstream/catalog/model-definition.ts';
import { connectionPattern } from '../upstream/connections/connection.ts';
import { providerKinds } from '../upstream/providers/providers.ts';
import { markingSchema } from './schemas/marking-schema.ts';
import { policySchema } from './schemas/policy-schema.ts';
import { signUpSchema } from './schemas/sign-up-schema.ts';

const amount = (description: string) => Type.String({ pattern: pricePattern, description });
const price = amount('A decimal amount, such as "0.04".');
// One statement extends the leases of a process's jobs, with three values for each. SQLite takes at most 32,766 values.
const maxConcurrency = 8_192;
const seconds = (description: string) => Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description });

const jobs = (description: string) => Type.Integer({ minimum: 1, maximum: 1_000_000_000, description });
const spendLimits = {
  spendHour: Type.Optional(price),
  spendDay: Type.Optional(price),
  spendMonth: Type.Optional(price),
  spendTotal: Type.Optional(price),
};
const jobLimits = {
  maxOpen: Type.Optional(jobs('Jobs that wait or run.')),
  maxWaiting: Type.Optional(jobs('Jobs that wait for an attempt.')),
  maxRunning: Type.Optional(jobs('Jobs that run at once.')),
  inputBytesDay: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Bytes of input images per day.',
    }),
  ),
  requestsPerMinute: Type.Optional(jobs('Requests of every kind per minute.')),
};

const accountLimits = (description: string) =>
  Type.Object(
    {
      ...spendLimits,
      ...jobLimits,
      requestsPerSecond: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    },
    { additionalProperties: false, description },
  );

const days = (what: string, part: Part, whenUnset: string) =>
  Type.Optional(
    Type.Integer({
      minimum: leastDays(part),
      maximum: longestDays,
      description: `${what}; ${whenUnset} by default.`,
    }),
  );

const modelId = Type.String({ pattern: modelIdPattern });

const connection = Type.Object(
  {
    provider: Type.Enum([...providerKinds]),
    baseUrl: Type.Optional(Type.String({ pattern: '^https?://' })),
    keyFile: Type.Optional(Type.String({ minLength: 1, description: 'A file that holds the credential.' })),
    keyVariable: Type.Optional(
      Type.String({ minLength: 1, description: 'An environment variable that holds the credential.' }),
    ),
  },
  { additionalProperties: false },
);

/** The configuration file (`DARKROOM_CONFIG`). Everything is optional; unknown names are refused. */
export const configFileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    currency: Type.Optional(
      Type.String({ minLength: 1, maxLength: 10, description: 'Label of amounts; USD by default.' }),
    ),
    prices: Type.Optional(
      Type.Record(modelId, Type.Record(Type.String(), price), {
        description: 'The price of an image, by model and resolution; as listed with the models by default.',
      }),
    ),
    routes: Type.Optional(
      Type.Record(modelId, Type.Array(routeSchema, { minItems: 1 }), {
        description:
          'The routes of each model, in the order in which they are tried; by default those of the providers with keys, or sketch if none has a key.',
      }),
    ),
    models: Type.Optional(
      Type.Array(definitionSchema, {
        description: 'Models of your own, and changes to the built-in ones; none by default.',
      }),
    ),
    connections: Type.Optional(
      Type.Record(Type.String({ pattern: connectionPattern }), connection, {
        description: 'Providers, each with its address and where its credential is; none by default.',
      }),
    ),
    doorAliases: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 100 }), modelId, {
        description:
          'Model names that clients of other APIs send, each with the model that it means. `default` is for requests without a model; none by default.',
      }),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          concurrency: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: maxConcurrency,
              description: 'Jobs that one worker process runs at once; 64 by default.',
            }),
          ),
          pictureMegabytes: Type.Optional(
            Type.Integer({
              minimum: 16,
              description:
                'Megabytes of memory for the images of all jobs in one worker process. If it is full, upstream answers wait; a quarter of the memory of the machine or its cgroup, which the workers of `--processes` share, by default.',
            }),
          ),
          jobSeconds: Type.Optional(
            seconds('Seconds that a job has from the start of its first attempt; 900 by default.'),
          ),
          queuedSeconds: Type.Optional(
            seconds('Seconds that a job may wait for its first attempt; 86,400 by default.'),
          ),
          minFreeDiskMegabytes: Type.Optional(
            Type.Integer({
              minimum: 0,
              description:
                'Megabytes of free space in the data folder below which creates with input images are refused, 0 for none; 256 by default.',
            }),
          ),
          requestsPerSecond: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              description: 'Requests that each key may send per second; no limit by default.',
            }),
          ),
          accounts: Type.Optional(accountLimits('Limits for accounts without their own; none by default.')),
          keys: Type.Optional(
            Type.Object(
              { ...spendLimits, ...jobLimits },
              {
                additionalProperties: false,
                description: 'Limits for keys without their own; none by default.',
              },
            ),
          ),
          requestBurst: Type.Optional(
            Type.Integer({
              minimum: 1,
              description: 'Requests that a key may send at once after a pause; twice the rate by default.',
            }),
          ),
          connections: Type.Optional(
            Type.Integer({
              minimum: 64,
              maximum: 100_000,
              description:
                'Client connections that one process has at once; half of the files that it may open, 8,192 at most, by default.',
            }),
          ),
          wrongKeysPerSecond: Type.Optional(
            Type.Number({
              exclusiveMinimum: 0,
              description:
                'Requests with a missing or wrong key that each client address may send per second; no limit by default.',
            }),
          ),
        },
        {
          additionalProperties: false,
          description: 'What this installation, its accounts and its keys may use.',
        },
      ),
    ),
    marking: Type.Optional(markingSchema),
    alerts: Type.Optional(
      Type.Object(
        {
          costRisePercent: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 1_000,
              description:
                'How many percent more an image of a model may cost than in the previous four weeks before operators are alerted; 25 by default.',
            }),
          ),
        },
        { additionalProperties: false, description: 'Alerts for operators.' },
      ),
    ),
    policy: Type.Optional(policySchema),
    payments: Type.Optional(
      Type.Object(
        {
          amounts: Type.Optional(
            Type.Array(price, {
              minItems: 1,
              maxItems: 12,
              description: 'The amounts that people choose from; 10, 25, 50 and 100 by default.',
            }),
          ),
          least: Type.Optional(amount('The least that people can pay at once; 5 by default.')),
          most: Type.Optional(amount('The most that people can pay at once; 1000 by default.')),
          taxes: Type.Optional(Type.Boolean({ description: 'Lets Stripe Tax add taxes; false by default.' })),
          invoices: Type.Optional(
            Type.Boolean({
              description: 'Lets Stripe create invoices in addition to its receipts; false by default.',
            }),
          ),
        },
        {
          additionalProperties: false,
          description:
            'Credit that people buy themselves, once Stripe keys are set in the environment or in the panel.',
        },
      ),
    ),
    signUp: Type.Optional(
      signUpSchema(
        amount,
        accountLimits('The first limits of accounts that sign-up creates; none by default.'),
      ),
    ),
    retentionDays: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 3_650,
        description: 'Days for which jobs are kept, with all their data; 30 by default.',
      }),
    ),
    retention: Type.Optional(
      Type.Object(
        {
          pictures: days('Results with their smaller images', 'pictures', 'as long as their jobs'),
          prompts: days(
            'Prompts, parameters, the notes of attempts, and batch files',
            'prompts',
            'as long as the images',
          ),
          inputs: days('Input images', 'inputs', 'as long as the images'),
          deliveries: days('Webhook deliveries with their attempts', 'deliveries', 'as long as their jobs'),
          idempotency: days('Idempotency keys', 'idempotency', 'as long as their jobs, and at least 30 days'),
          audit: days('The audit log, for at least 30 days', 'audit', 'for good'),
          stars: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: mostStars,
              description:
                'How many images with a star or in an album an account keeps at any age, at most 10,000; none by default.',
            }),
          ),
        },
        {
          additionalProperties: false,
          description:
            'How many days each part of a job is kept. No part is kept longer than its job. Idempotency keys and the audit log may be kept longer. An account may have its own days. `stars` is a number of images.',
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    $id: 'urn:darkroom:configuration',
    title: 'Darkroom configuration',
  },
);

export type ConfigFile = Static<typeof configFileSchema>;

/** Finds the first mistake and its place; undefined for a valid file. */
export function findMistake(json: unknown): string | undefined {
  const mistake = findWrongRoute(json) ?? findWrongModel(json) ?? firstMistake(configFileSchema, json);
  return mistake && `at ${mistake.pointer || 'the top'}: ${mistake.message}`;
}

function findWrongRoute(json: unknown): FoundMistake | undefined {
  const routes: unknown = Value.Pointer.Get(json, '/routes');
  for (const [model, entries] of Object.entries(isObject(routes) ? routes : {})) {
    const mistake = findWrongEntry(json, entries, `/routes/${model}`);
    if (mistake) return mistake;
  }
  return undefined;
}

function findWrongModel(json: unknown): FoundMistake | undefined {
  const models: unknown = Value.Pointer.Get(json, '/models');
  for (const [index, model] of (Array.isArray(models) ? models : []).entries()) {
    const [mistake] = checkDefinition(model);
    if (mistake)
      return { pointer: `/models/${index}${mistake.pointer}`, message: mistake.detail.replace(/\.$/, '') };
    const wrong = findWrongEntry(json, (model as ModelDefinition).routes, `/models/${index}/routes`);
    if (wrong) return wrong;
  }
  return undefined;
}

/** Finds a mistake in a route, which must name a provider or a connection of the file. */
function findWrongEntry(json: unknown, entries: unknown, place: string): FoundMistake | undefined {
  for (const [index, entry] of (Array.isArray(entries) ? entries : []).entries()) {
    const { connection, ...rest } = isObject(entry) ? entry : {};
    const provider = Value.Pointer.Get(json, `/connections/${connection}/provider`);
    const mistake = findRouteMistake(connection === undefined ? entry : { ...rest, provider });
    if (connection !== undefined && provider === undefined)
      return { pointer: `${place}/${index}/connection`, message: 'must be a connection of the file' };
    if (mistake) return { ...mistake, pointer: `${place}/${index}${mistake.pointer}` };
    if (connection !== undefined && 'baseUrl' in rest)
      return { pointer: `${place}/${index}/baseUrl`, message: 'is that of the connection; set it there' };
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
