import { createKey } from '../../server/src/accounts/create-key.ts';
import type { App } from '../../server/src/app.ts';
import type { HeldClock } from '../../server/test/world/clock.ts';

const dayMs = 24 * 60 * 60 * 1000;
export const days = 29;

const prompts = [
  'a lighthouse on a cliff at dusk',
  'a red fox in a snowy forest',
  'a city at night in the rain, neon',
  'mountains and a lake at sunset',
  'a desert with a single tree',
  'a sailing boat on calm water at dawn',
  'geometric pattern, letterpress, two colours',
  '[[fail:safety_blocked]] something the provider refuses',
];
const ratios = ['1:1', '16:9', '3:2', '4:3', '21:9', '9:16', '4:5'];
const models = ['nb', 'nb2', 'pro'];

export async function makeKeys(app: App, clock: HeldClock, first: string): Promise<string[]> {
  const { account_id: account } = await app.database.read
    .selectFrom('accounts')
    .select('id as account_id')
    .executeTakeFirstOrThrow();
  const shop = await createKey(
    { database: app.database, clock },
    { account, name: 'shop', limits: { total: 2_200_000n } },
  );
  const letters = await createKey(
    { database: app.database, clock },
    { account, name: 'newsletter', models: ['nb', 'nb2'] },
  );
  return [first, shop.key, letters.key];
}

export async function makeMonth(app: App, clock: HeldClock, keys: string[]): Promise<void> {
  for (let day = 0; day <= days; day++) {
    clock.offsetMs = (day - days) * dayMs;
    const jobs = 2 + ((day * 7) % 5) + (day === days ? 8 : 0);
    for (let index = 0; index < jobs; index++) {
      await makeJob(app, keys[(day + index) % keys.length] ?? '', day * 3 + index);
    }
  }
}

export async function makeBatch(app: App, key: string): Promise<void> {
  const requests = prompts
    .slice(0, 6)
    .map((prompt) => ({ model: 'nb2', mode: 'text', body: { prompt, aspect_ratio: '4:3' } }));
  const made = await fetch(`${app.url}/api/v1/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Spring catalogue', requests }),
  });
  if (!made.ok) throw new Error(`the batch: ${made.status} ${await made.text()}`);
}

export async function makeJob(app: App, key: string, seed: number): Promise<void> {
  const allowed = models[seed % 3] ?? 'nb';
  const prompt = prompts[(seed * 5) % prompts.length];
  const body = { prompt, aspect_ratio: ratios[seed % ratios.length] };
  let created = await call(app, key, allowed, body);
  if (created.status === 403) created = await call(app, key, 'nb', body);
  const { job_id } = (await created.json()) as { job_id: string };
  await fetch(`${app.url}/api/v1/jobs/${job_id}`, {
    headers: { authorization: `Bearer ${key}`, prefer: 'wait=60' },
  });
}

function call(app: App, key: string, model: string, body: object): Promise<Response> {
  return fetch(`${app.url}/api/v1${model === 'pro' ? '' : `/${model}`}/text-generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
