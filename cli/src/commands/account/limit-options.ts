import type { Operator } from '@darkroom/server/operator';
import { type Command, InvalidArgumentError } from 'commander';

export interface LimitOptions {
  spendHour?: string;
  spendDay?: string;
  spendMonth?: string;
  spendTotal?: string;
  maxOpen?: string;
  rate?: string[];
}

type Changes = Parameters<Operator['changeLimits']>[1];

export function addLimitOptions(command: Command): Command {
  return command
    .option('--spend-hour <amount>', 'most that jobs may cost in an hour (UTC), such as 0.50')
    .option('--spend-day <amount>', 'in a day (UTC)')
    .option('--spend-month <amount>', 'in a month (UTC)')
    .option('--spend-total <amount>', 'in all')
    .option('--max-open <jobs>', 'most jobs that wait or run')
    .option('--rate <requests>', 'most requests, such as 10/s or 600/m; may be given twice', addTo);
}

function addTo(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** What the options say; `none` removes a limit. */
export function limitsOf(options: LimitOptions, operator: Pick<Operator, 'parseAmount'>): Changes {
  const amount = (text: string) => (text === 'none' ? null : operator.parseAmount(text));
  const changes: { -readonly [Meter in keyof Changes]: Changes[Meter] } = {};
  if (options.spendHour !== undefined) changes.hour = amount(options.spendHour);
  if (options.spendDay !== undefined) changes.day = amount(options.spendDay);
  if (options.spendMonth !== undefined) changes.month = amount(options.spendMonth);
  if (options.spendTotal !== undefined) changes.total = amount(options.spendTotal);
  if (options.maxOpen !== undefined) changes.open = count(options.maxOpen);
  for (const rate of options.rate ?? []) Object.assign(changes, rateOf(rate));
  return changes;
}

function rateOf(text: string): Changes {
  if (text === 'none') return { second: null, minute: null };
  const [, requests = '', unit] = /^(\d+)\/([sm])$/.exec(text) ?? [];
  const most = count(requests);
  return unit === 'm' ? { minute: most } : { second: most };
}

function count(text: string): bigint | null {
  if (text === 'none') return null;
  if (/^[1-9]\d{0,8}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError(
    'A number of jobs is such as 20, a rate such as 10/s or 600/m, and "none" removes the limit.',
  );
}
