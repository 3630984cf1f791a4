import { setTimeout as sleep } from 'node:timers/promises';
import type { GuardrailSettings } from '../../server/src/jobs/guardrails/guardrail-settings.ts';
import { startHook } from '../../server/test/policy/support/hook.ts';
import { TestProvider } from '../../server/test/world/provider.ts';
import { openWorld, testRoutes, type World } from '../../server/test/world/world.ts';

const rounds = 60;
/** The most time that one question to the policy's service may add. It includes the stub's own time. */
const mostAddedMs = 10;
const awayMs = 30_000;
const madeMeanwhile = 10;
const routeTimeoutMs = 180_000;
const body = { prompt: 'a fox', aspect_ratio: '1:1' };

/**
 * Measures how long a policy delays requests, and how requests end while the policy's service is down. Returns false if
 * a request is lost or slow.
 */
export async function timePolicy(say: (line: string) => void): Promise<boolean> {
  await using hook = await startHook();
  const none: GuardrailSettings = {
    ...{ url: hook.url, stages: [], timeoutMs: 5_000, whenDown: 'refuse' },
    ...{ blockWords: [], maskWords: [] },
  };
  const accounts = new Map<string, GuardrailSettings>();
  const guardrails = { usual: none, accounts, keepPromptsDays: 0, strikes: null, key: null };
  const provider = new TestProvider();
  // The timeout is several minutes, like a real upstream's, because waiting for the policy's service counts towards it.
  const routes = testRoutes(provider, { timeoutMs: routeTimeoutMs });
  await using world = await openWorld({ config: { guardrails }, replacements: { routes } });
  accounts.set(world.accountId, { ...none, stages: ['prompt', 'image'] });
  const { key } = await world.account('without a policy', { creditMicros: 100_000_000n });
  const isQuick = await compare(say, world, { asking: world.key, free: key });
  let ends = 0;
  hook.answer = () => (performance.now() < ends ? 503 : { action: 'NONE' });
  const keepsPrompts = await loseNothing(say, { world, provider }, 'prompts', () => {
    ends = performance.now() + awayMs;
  });
  hook.answer = ({ body }) =>
    body.input_type === 'response' && performance.now() < ends ? 503 : { action: 'NONE' };
  const keepsImages = await loseNothing(say, { world, provider }, 'images', () => {
    ends = performance.now() + awayMs;
  });
  return isQuick && keepsPrompts && keepsImages;
}

/** Alternates between requests with and without a policy, so that other work on the machine affects both alike. */
async function compare(
  say: (line: string) => void,
  world: World,
  keys: { asking: string; free: string },
): Promise<boolean> {
  const took = { asking: { created: [], done: [] }, free: { created: [], done: [] } } as Record<
    keyof typeof keys,
    Record<'created' | 'done', number[]>
  >;
  for (let round = -5; round < rounds; round += 1)
    for (const who of ['asking', 'free'] as const)
      for (const [until, prefer] of [
        ['created', {}],
        ['done', { prefer: 'wait=30' }],
      ] as const) {
        const began = performance.now();
        await create(world, { authorization: `Bearer ${keys[who]}`, ...prefer });
        if (round >= 0) took[who][until].push(performance.now() - began);
      }
  say('| ms, in the middle | without a policy | with one | added | at most |\n|---|---|---|---|---|');
  let isQuick = true;
  for (const [until, questions] of [
    ['created', 1],
    ['done', 2],
  ] as const) {
    const [free, asking] = [middle(took.free[until]), middle(took.asking[until])];
    const most = mostAddedMs * questions;
    isQuick &&= asking - free <= most;
    say(
      `| ${until}, ${questions} asked | ${free.toFixed(1)} | ${asking.toFixed(1)} | ${(asking - free).toFixed(1)} | ${most} |`,
    );
  }
  say('');
  return isQuick;
}

/** Sends requests while the service is down, and repeats refused ones. Each image must be made and paid for once. */
async function loseNothing(
  say: (line: string) => void,
  { world, provider }: { world: World; provider: TestProvider },
  what: string,
  leave: () => void,
): Promise<boolean> {
  const [made, before] = [provider.requests.length, Number((await world.balance()).balance)];
  leave();
  let refused = 0;
  const jobs = await Promise.all(
    Array.from({ length: madeMeanwhile }, async (_, index) => {
      for (;;) {
        const key = { 'idempotency-key': `${what}-${index}` };
        const answer = await world.send('POST', '/nb2/text-generations', {
          body,
          headers: { authorization: `Bearer ${world.key}`, ...key },
        });
        if (answer.status === 202) return String(answer.body.job_id);
        if (answer.status !== 503) throw new Error(JSON.stringify(answer.body));
        refused += 1;
        await sleep(1_000);
      }
    }),
  );
  const ends = await Promise.all(jobs.map((jobId) => ended(world, jobId)));
  const paid = before - Number((await world.balance()).balance);
  const price = ends.reduce((sum, { price }) => sum + Number(price), 0);
  const done = ends.filter(({ status }) => status === 'done').length;
  const asked = provider.requests.length - made;
  say(
    `Away for ${awayMs / 1000} s from ${what}: ${refused} creates were refused for now; of ${jobs.length} jobs ${done} are done, made ${asked} times, paid ${paid.toFixed(2)} of ${price.toFixed(2)}.`,
  );
  return done === jobs.length && asked === jobs.length && paid.toFixed(2) === price.toFixed(2);
}

async function create(world: World, headers: Record<string, string>): Promise<void> {
  const { status, body: answer } = await world.send('POST', '/nb2/text-generations', { body, headers });
  if (status > 202) throw new Error(`a create was answered with ${JSON.stringify(answer)}`);
}

async function ended(world: World, jobId: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { body } = await world.send('GET', `/jobs/${jobId}`);
    if (body.finished_at !== null) return body;
    await sleep(500);
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
}
