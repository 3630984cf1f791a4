import Type from 'typebox';
import { maxNameLength } from '../../../../accounts/name.ts';
import { amount, closed, nullable, oneOf, time } from '../../../../base/http/schemas.ts';
import { groupDigits } from '../../../../base/std/group-digits.ts';
import { maxRequests } from '../../../../jobs/admission/create-batch.ts';
import { maxImages } from '../../../../jobs/admission/take-batch-inputs.ts';
import { batchStatuses } from '../../../../jobs/batches/present-batch.ts';
import { modes } from '../../../../upstream/catalog/models.ts';
import { targetUrl } from '../webhooks/webhook-json.ts';

export const batchedRequestSchema = closed(
  {
    model: Type.String({ description: 'The id that `GET /models` lists.' }),
    mode: oneOf(modes, {
      title: 'Mode',
      description: `With \`url\`, \`input_images_urls\` must be links of this server (of uploads or results), at most ${groupDigits(maxImages)} in all requests together.`,
    }),
    body: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      title: 'BatchRequestFields',
      description: 'The body of a create of that model.',
    }),
  },
  { title: 'BatchRequest' },
);

const howMany = { minItems: 1, maxItems: maxRequests };

/** The body of a batch. Its requests are checked elsewhere, one by one, so that an answer reports all mistakes. */
export const batchBodySchema = closed(
  {
    name: Type.Optional(
      nullable(
        Type.String({
          ...{ minLength: 1, maxLength: maxNameLength, pattern: '\\S' },
          description: 'Your name for the batch, shown in lists. JSON Lines have no place for it.',
        }),
      ),
    ),
    callback_url: Type.Optional(
      nullable(
        targetUrl(
          'Called once all jobs of the batch have ended, instead of the endpoints that name `batch.completed`. JSON Lines have no place for it.',
        ),
      ),
    ),
    requests: Type.Unsafe<unknown[]>({
      type: 'array',
      ...howMany,
      'x-documented': Type.Array(batchedRequestSchema, {
        ...howMany,
        examples: [
          [{ model: 'nb', mode: 'text', body: { prompt: 'a lighthouse at dusk', aspect_ratio: '16:9' } }],
        ],
      }),
    }),
  },
  { title: 'NewBatch' },
);

const batchId = Type.String({ format: 'uuid' });
const status = oneOf(batchStatuses, {
  title: 'BatchStatus',
  'x-open': true,
  description:
    '`done` once all of its jobs have ended, in whatever state. `cancelling` if it was cancelled and some of its jobs have not ended yet.',
});
const jobs = Type.Integer({ description: 'The number of its jobs.' });
const price = amount('The price of all its jobs, reserved when it was created.');

export const batchCreatedSchema = Type.Object(
  {
    batch_id: batchId,
    status,
    status_url: Type.String({
      description: 'Relative path for polling.',
      examples: ['/api/v1/batches/0199…'],
    }),
    jobs,
    price,
  },
  { $id: 'BatchCreated' },
);

export const batchSchema = Type.Object(
  {
    batch_id: batchId,
    name: nullable(Type.String({ description: 'The name given at its creation.' })),
    status,
    created_at: time('When the batch was accepted.'),
    finished_at: nullable(time('When its last job ended.')),
    jobs,
    counts: Type.Object(
      {
        queued: Type.Integer(),
        processing: Type.Integer(),
        done: Type.Integer(),
        failed: Type.Integer({ description: 'The number of failed jobs, including cancelled jobs.' }),
      },
      { title: 'BatchCounts', description: 'The number of its jobs in each state.' },
    ),
    price,
    charged: amount('Captured so far, for jobs that are done.'),
  },
  { $id: 'Batch' },
);
