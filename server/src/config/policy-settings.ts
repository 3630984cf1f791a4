import {
  type GuardrailPolicy,
  type GuardrailSettings,
  stages,
} from '../jobs/guardrails/guardrail-settings.ts';
import type { ConfigFile } from './config-file.ts';

const usual: GuardrailSettings = {
  url: null,
  stages,
  timeoutMs: 5_000,
  whenDown: 'refuse',
  blockWords: [],
  maskWords: [],
};

/** Null if the file has no policy, so that nothing is checked. */
export function readPolicy(file: ConfigFile['policy'], key: string | undefined): GuardrailPolicy | null {
  if (!file) return null;
  const { accounts = {}, keepPromptsDays = 0, strikes, ...rest } = file;
  const all = { ...usual, ...rest };
  const own = Object.entries(accounts).map(([id, one]) => [id, { ...all, ...one }] as const);
  return {
    ...{ usual: all, accounts: new Map(own), keepPromptsDays, key: key || null },
    strikes: strikes ? { ...strikes, withinMs: strikes.withinSeconds * 1000 } : null,
  };
}
