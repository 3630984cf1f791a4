import Type, { type Static } from 'typebox';
import {
  closed,
  endpointPattern,
  nullable,
  nullableOneOf,
  targetPattern,
  time,
} from '../../../../base/http/schemas.ts';
import { toIso, toIsoOrNull } from '../../../../base/std/iso-time.ts';
import { hideTarget, isBucket } from '../../../../notify/webhooks/buckets/bucket-target.ts';
import type { DeliveryCounts } from '../../../../notify/webhooks/endpoints/delivery-count-store.ts';
import type { EndpointWebhook, Webhook } from '../../../../notify/webhooks/endpoints/show-webhook.ts';
import {
  type EventType,
  eventTypes,
  jobEventTypes,
  otherEventTypes,
} from '../../../../notify/webhooks/event-types.ts';
import { maxTargetLength } from '../../../../notify/webhooks/webhook-target.ts';
import type { Caller } from '../../account-call.ts';

export const targetUrl = (description: string) =>
  Type.String({
    pattern: targetPattern,
    maxLength: maxTargetLength,
    description,
    examples: ['https://example.com/darkroom'],
  });

export const endpointUrl = Type.String({
  pattern: endpointPattern,
  maxLength: maxTargetLength,
  description:
    "An http or https address on the public internet; or a bucket, to which results are copied: `s3://bucket/prefix?region=eu-central-1`, with `endpoint=https://…` if it is not Amazon's.",
  examples: ['https://example.com/darkroom'],
});

/** The credentials of a bucket, which must allow putting objects. They are printable, because they go into a header. */
export const bucketCredentials = closed(
  {
    access_key_id: Type.String({ pattern: '^[!-~]{1,128}$' }),
    secret_access_key: Type.String({ pattern: '^[!-~]{1,256}$' }),
  },
  {
    title: 'BucketCredentials',
    description:
      'Only for a bucket: an access key that may put objects. It is stored encrypted and never shown again.',
  },
);

const codes = (types: readonly string[]) => types.map((type) => `\`${type}\``).join(', ');

export const eventFilter = Type.Unsafe<EventType[] | null>({
  type: ['array', 'null'],
  items: { type: 'string', enum: [...eventTypes], title: 'EventType' },
  minItems: 1,
  uniqueItems: true,
  description: `The types of events that it gets; null for the end of every job (${codes(jobEventTypes)}). It gets ${codes(otherEventTypes)} only if it lists them.`,
});

const id = Type.String({ format: 'uuid' });

export const endpointSchema = Type.Object(
  {
    account_id: id,
    endpoint_id: id,
    is_default: Type.Boolean({
      description:
        'True for the endpoint that `default` means in a path. It signs with the secret of the account.',
    }),
    url: Type.String({
      description: 'The address; without its path for callers who may not see images.',
    }),
    events: eventFilter,
    enabled: Type.Boolean(),
    created_at: time('When this URL was set.'),
    failing_since: nullable(time('The time since which every attempt has failed; null while it works.')),
    disabled_at: nullable(
      time(
        'When deliveries to it stopped. `enabled` set to `true` resumes them; so does another URL, unless a person disabled the endpoint.',
      ),
    ),
    disabled_reason: nullableOneOf(['gone', 'failing', 'manual'], {
      title: 'DisabledReason',
      description:
        '`gone`: it answered 410. `failing`: every attempt in five days failed. `manual`: a person disabled it.',
    }),
    secret_hint: Type.String({
      description: 'The end of the signing secret; empty for a bucket.',
      examples: ['whsec_…k9Q='],
    }),
    health: Type.Object(
      { delivered: Type.Integer(), failed: Type.Integer(), pending: Type.Integer() },
      { title: 'WebhookHealth', description: 'The outcome of the deliveries of the last 7 days.' },
    ),
  },
  { $id: 'Endpoint' },
);
export type EndpointJson = Static<typeof endpointSchema>;

export const endpointDetailSchema = Type.Object(
  {
    ...endpointSchema.properties,
    hours: Type.Array(
      Type.Object(
        {
          hour: time('When it began.'),
          attempts: Type.Integer(),
          failed: Type.Integer(),
          p50_ms: nullable(Type.Integer(), {
            description: 'The median duration of successful attempts; null without any.',
          }),
        },
        { title: 'EndpointHour' },
      ),
      { description: 'How the attempts of the last 72 hours ended, except those that failed because of us.' },
    ),
  },
  { $id: 'EndpointDetail' },
);

const newEndpoint = {
  url: endpointUrl,
  events: Type.Optional(eventFilter),
  credentials: Type.Optional(bucketCredentials),
};
export const newEndpointBody = closed(newEndpoint, { title: 'NewEndpoint' });
export const endpointUpdateBody = closed(
  {
    ...newEndpoint,
    enabled: Type.Optional(Type.Boolean({ default: true, description: 'A disabled endpoint gets nothing.' })),
  },
  { title: 'EndpointUpdate' },
);
export const endpointChangeBody = closed(
  {
    ...newEndpoint,
    url: Type.Optional(endpointUrl),
    enabled: Type.Optional(Type.Boolean({ description: 'A disabled endpoint gets nothing.' })),
  },
  { title: 'EndpointChange' },
);

export const secretSchema = Type.Object(
  {
    secret: Type.String({ examples: ['whsec_…'] }),
    expires_at: nullable(time('When it stops signing; null for the current one.')),
  },
  { title: 'WebhookSecret' },
);

/** The only answer with complete secrets, except the answer to adding an endpoint. */
export const signingSchema = Type.Object(
  {
    account_id: id,
    endpoint_id: nullable(id, {
      description: 'Null if the account has no default endpoint: its secret then signs only `callback_url`s.',
    }),
    secrets: Type.Array(secretSchema, { description: 'All secrets that sign now, the newest first.' }),
  },
  { title: 'SigningSecrets' },
);
export const cancelled = {
  cancelled_deliveries: Type.Integer({
    description: 'The number of waiting deliveries that were cancelled.',
  }),
};

export interface Beside {
  /** The numbers of deliveries in the last 7 days, by endpoint. */
  counts: ReadonlyMap<string, DeliveryCounts>;
  may: Caller['may'];
}

/** Presents an endpoint without its secrets, with which any reader could sign. */
export function presentEndpoint(webhook: EndpointWebhook, { counts, may }: Beside): EndpointJson {
  const { accountId, endpoint } = webhook;
  return {
    account_id: accountId,
    endpoint_id: endpoint.id,
    is_default: endpoint.isDefault,
    url: may('see_pictures') ? endpoint.url : hideTarget(endpoint.url),
    events: endpoint.events,
    enabled: endpoint.disabledAt === null,
    created_at: toIso(endpoint.createdAt),
    failing_since: toIsoOrNull(endpoint.failingSince),
    disabled_at: toIsoOrNull(endpoint.disabledAt),
    disabled_reason: endpoint.disabledReason,
    secret_hint: isBucket(endpoint.url) ? '' : `whsec_…${webhook.secrets[0]?.secret?.slice(-4) ?? ''}`,
    health: counts.get(endpoint.id) ?? { delivered: 0, failed: 0, pending: 0 },
  };
}

/** An account without endpoints also has secrets, which sign its `callback_url`s. */
export function presentSigning({ accountId, endpoint, secrets }: Webhook): Static<typeof signingSchema> {
  return {
    account_id: accountId,
    endpoint_id: endpoint?.id ?? null,
    secrets: presentSecrets({ secrets }),
  };
}

export function presentSecrets({ secrets }: Pick<Webhook, 'secrets'>): Static<typeof secretSchema>[] {
  return secrets.flatMap(({ secret, expiresAt }) =>
    secret === null ? [] : [{ secret, expires_at: toIsoOrNull(expiresAt) }],
  );
}
