import { refusals } from '../../../accounts/payments/payment-provider.ts';

const header = (name: string, description: string) => ({
  in: 'header',
  name,
  required: true,
  description,
  schema: { type: 'string' },
});

const headers = [
  header('webhook-id', 'The same for every attempt to deliver the same event.'),
  header('webhook-timestamp', 'When this attempt was made, seconds since 1970.'),
  header(
    'webhook-signature',
    'One or more of `v1,…`, separated by spaces: HMAC-SHA-256 of `id.timestamp.body` as Standard Webhooks 1.0 describes.',
  ),
];

function webhook(operationId: string, type: string, summary: string, data: object) {
  return {
    post: {
      operationId,
      summary,
      description: 'Any 2xx answer within 15 seconds is success; anything else is retried.',
      tags: ['Webhooks'],
      security: [],
      parameters: headers,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              title: `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Event`,
              type: 'object',
              required: ['type', 'timestamp', 'data'],
              properties: {
                type: { type: 'string', const: type },
                timestamp: { type: 'string', format: 'date-time' },
                data,
              },
            },
          },
        },
      },
      responses: {
        '2XX': { description: 'Accepted. The body is not used.' },
        '410': { description: 'The receiver wants no more events; the endpoint is then disabled.' },
      },
    },
  };
}

const job = { $ref: '#/components/schemas/Job' };
const batch = { $ref: '#/components/schemas/Batch' };

const account = { account_id: { type: 'string', format: 'uuid' }, account_name: { type: 'string' } };
const amount = { type: 'string' };
const spentLimit = {
  ...account,
  of: { type: 'string', enum: ['account', 'key'] },
  key_id: { type: ['string', 'null'], format: 'uuid', description: 'Null if the limit is the account’s.' },
  limit: { type: 'string', enum: ['spend_hour', 'spend_day', 'spend_month', 'spend_total'] },
  used: amount,
  most: amount,
  resets_at: { type: ['string', 'null'], format: 'date-time' },
};

const expiringKey = {
  ...account,
  key_id: { type: 'string', format: 'uuid' },
  name: { type: 'string' },
  hint: { type: 'string', description: 'The first and last characters of the key.' },
  expires_at: { type: 'string', format: 'date-time' },
  last_used_at: { type: ['string', 'null'], format: 'date-time', description: 'Null if it was never used.' },
  other_keys: {
    type: 'integer',
    description: 'The number of the account’s other keys in the same email.',
  },
  other_names: {
    type: 'array',
    items: { type: 'string' },
    description: 'The names of up to five of them.',
  },
};

const receivedPayment = {
  ...account,
  payment_id: { type: 'string', format: 'uuid' },
  amount,
  reference: { type: 'string', description: "The provider's id of the payment." },
  debt_paid: { type: 'string', description: 'The part of the amount that paid a debt.' },
  balance: { type: 'string', description: 'The balance after the payment.' },
  receipt_url: {
    type: ['string', 'null'],
    format: 'uri',
    description: 'The payment provider’s receipt or invoice; null if none is known.',
  },
};

const stoppedTopUp = {
  ...account,
  reason: { type: 'string', enum: [...refusals], description: 'Why.' },
  card: { type: ['string', 'null'], description: 'Such as `visa 4242`; null if there is no card.' },
};

export const webhookDescriptions = {
  'job.done': webhook('jobDone', 'job.done', 'A job is done', job),
  'job.failed': webhook('jobFailed', 'job.failed', 'A job failed', job),
  'batch.completed': webhook('batchCompleted', 'batch.completed', 'All jobs of a batch have ended', batch),
  'balance.low': webhook('balanceLow', 'balance.low', 'The balance fell below the threshold of the account', {
    type: 'object',
    required: ['account_id', 'account_name', 'threshold', 'balance'],
    properties: { ...account, threshold: amount, balance: amount },
  }),
  'spend_limit.near': webhook(
    'spendLimitNear',
    'spend_limit.near',
    'A spend limit has reached the share that the account set for alerts',
    {
      type: 'object',
      required: [...Object.keys(spentLimit), 'percent'],
      properties: { ...spentLimit, percent: { type: 'integer' } },
    },
  ),
  'spend_limit.reached': webhook(
    'spendLimitReached',
    'spend_limit.reached',
    'A spend limit stopped a job; reported once in its hour, day or month',
    { type: 'object', required: Object.keys(spentLimit), properties: spentLimit },
  ),
  'key.expiring': webhook('keyExpiring', 'key.expiring', 'A key expires within a week; reported once', {
    type: 'object',
    required: Object.keys(expiringKey),
    properties: expiringKey,
  }),
  'payment.received': webhook('paymentReceived', 'payment.received', 'A payment was credited', {
    type: 'object',
    required: Object.keys(receivedPayment),
    properties: receivedPayment,
  }),
  'top_up.stopped': webhook(
    'topUpStopped',
    'top_up.stopped',
    'Automatic top-up has stopped, until an owner turns it on again',
    { type: 'object', required: Object.keys(stoppedTopUp), properties: stoppedTopUp },
  ),
  'policy.strike': webhook(
    'policyStrike',
    'policy.strike',
    'The policy refused many requests of the account',
    {
      type: 'object',
      required: ['account_id', 'account_name', 'refusals', 'within_seconds', 'paused'],
      properties: {
        ...account,
        refusals: { type: 'integer' },
        within_seconds: { type: 'integer' },
        paused: {
          title: 'PauseOfPolicy',
          type: ['object', 'null'],
          description: 'Null if the account is not paused.',
          required: ['until'],
          properties: {
            until: {
              type: ['string', 'null'],
              format: 'date-time',
              description: 'Null: until an operator resumes it.',
            },
          },
        },
      },
    },
  ),
  'webhook.test': webhook('webhookTest', 'webhook.test', 'Somebody tries the webhook', {
    type: 'object',
    required: ['account_id'],
    properties: { account_id: { type: 'string', format: 'uuid' } },
  }),
};
