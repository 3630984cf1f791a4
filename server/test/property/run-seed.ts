import fc from 'fast-check';
import { assertAgreement, assertStatementsAgree } from './agreement.ts';
import type { Kinds } from './commands.ts';
import type { ModelState } from './model.ts';
import type { Step } from './steps/step.ts';
import { defaults } from './steps/time.ts';
import { openSystem } from './system.ts';

const firstBalances = [1_500_000n, 150_000n];

/**
 * Runs one random sequence of steps on the real system and the model, and checks every invariant after each step. The
 * same seed gives the same sequence. `pairs` collects the pairs of consecutive steps.
 */
export async function runSeed(
  seed: number,
  { steps, length }: Pick<Kinds, 'steps'> & { length: number },
  pairs: Set<string>,
): Promise<void> {
  const [sequence = []] = fc.sample(fc.array(steps, { minLength: length, maxLength: length, size: 'max' }), {
    seed,
    numRuns: 1,
  });
  const [ownDefaults] = defaults;
  await using system = await openSystem(ownDefaults);
  const accounts = await Promise.all(
    firstBalances.map((balance, index) => system.account(`account ${index}`, balance)),
  );
  const state: ModelState = {
    accounts,
    jobs: [],
    batches: [],
    leases: [],
    paused: new Set(),
    limits: new Map(),
    groups: new Map(),
    vouchers: [],
    payments: [],
    cards: [],
    defaults: ownDefaults,
    buckets: new Map(),
    nowMs: system.clock.nowMs(),
  };

  const done: Step[] = [];
  try {
    for (const step of sequence) {
      const before = done.at(-1);
      if (before) pairs.add(`${before.name} → ${step.name}`);
      done.push(step);
      await step.run(state, system);
      await assertAgreement(state, system);
    }
    await assertStatementsAgree(state, system);
  } catch (error) {
    const trace = done.map(({ text }) => `  ${text}`).join('\n');
    throw new Error(`seed ${seed}, step ${done.length}:\n${trace}`, { cause: error });
  }
}
