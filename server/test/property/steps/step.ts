import fc from 'fast-check';
import type { ModelAccount, ModelState } from '../model.ts';
import type { System } from '../system.ts';

export interface Step {
  name: string;
  text: string;
  run(state: ModelState, system: System): Promise<void>;
}

export interface Kind {
  /** How often this kind is drawn, relative to the others. */
  weight: number;
  steps: fc.Arbitrary<Step>;
}

export function step(name: string, drawn: unknown, run: Step['run']): Step {
  const text = JSON.stringify(drawn, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  return { name, text: `${name} ${text}`, run };
}

export const index = fc.nat(50);
export const accountIndex = fc.nat(1);

export function accountAt({ accounts }: ModelState, i: number): ModelAccount {
  const account = accounts[i % accounts.length];
  if (!account) throw new Error('there are accounts');
  return account;
}
