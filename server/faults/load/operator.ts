import { type Client, sendUntilAnswered } from './client.ts';

export async function pay(client: Client, number: number, kind: 'credit' | 'debit'): Promise<void> {
  const { cast, log, random } = client;
  const { accountId } = random.pick([cast.accounts.rich, cast.accounts.poor]);
  const amount = random.between(1, 40) / 100;
  const reference = `payment-${number}`;
  const payment = { accountId, kind, amount, reference, acknowledged: false };
  log.payments.push(payment);
  const answer = await sendUntilAnswered(client, {
    name: reference,
    path: `/admin/v1/accounts/${accountId}/${kind}s`,
    token: cast.adminKey,
    body: {
      amount: amount.toFixed(2),
      reference,
      ...(kind === 'debit' && { reason: 'as the fault run says' }),
    },
  });
  payment.acknowledged = answer?.status === 201;
}

interface Definition {
  id: string;
  resolutions: Record<string, { price?: string }>;
}

export const prices = ['0.02', '0.03'] as const;

export async function changePrice(client: Client): Promise<void> {
  const { cast, random } = client;
  const token = cast.adminKey;
  const path = '/admin/v1/models';
  const answer = await sendUntilAnswered(client, {
    name: 'read models',
    method: 'GET',
    path: `${path}/export`,
    token,
  });
  const model = answer?.json<{ models: Definition[] }>().models.find(({ id }) => id === 'nb');
  if (!model) return;
  for (const resolution of Object.values(model.resolutions)) resolution.price = random.pick(prices);
  // 409 means that another client changed the models meanwhile.
  await sendUntilAnswered(client, {
    name: 'change a price',
    path,
    token,
    body: { models: [model], apply: true },
    final: [409],
  });
}

/** Pauses a model for two seconds: new jobs are refused, and waiting jobs keep waiting. */
export async function pauseShortly(client: Client): Promise<void> {
  const model = client.random.pick(['nb', 'nb2', 'pro']);
  await sendUntilAnswered(client, {
    name: `pause ${model}`,
    method: 'PUT',
    path: `/admin/v1/pauses/${model}`,
    token: client.cast.adminKey,
    body: { reason: 'a fault', for: 2 },
  });
}
