import { type Command, InvalidArgumentError } from 'commander';
import type { Administration } from '../../operator.ts';

export interface LimitOptions {
  spendHour?: string;
  spendDay?: string;
  spendMonth?: string;
  spendTotal?: string;
  maxOpen?: string;
  maxWaiting?: string;
  maxRunning?: string;
  inputDay?: string;
  rate?: string[];
}

type Changes = Parameters<Administration['changeAccountLimits']>[1];

export function addLimitOptions(command: Command): Command {
  return command
    .option('--spend-hour <amount>', 'most that jobs may cost in an hour (UTC), such as 0.50')
    .option('--spend-day <amount>', 'in a day (UTC)')
    .option('--spend-month <amount>', 'in a month (UTC)')
    .option('--spend-total <amount>', 'in all')
    .option('--max-open <jobs>', 'most jobs that wait or run')
    .option('--max-waiting <jobs>', 'most jobs that wait')
    .option('--max-running <jobs>', 'most jobs that run at once')
    .option('--input-day <bytes>', 'most input images in a day (UTC), such as 500MB or 2GB')
    .option('--rate <requests>', 'most requests, such as 10/s or 600/m; may be given twice', addTo);
}

function addTo(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** Reads the options: `none` for no limit, `default` for the installation's limit. */
export function limitsOf(options: LimitOptions): Changes {
  const amount = (text: string) => (text === 'none' ? null : text);
  const changes: Changes = {};
  if (options.spendHour !== undefined) changes.spend_hour = amount(options.spendHour);
  if (options.spendDay !== undefined) changes.spend_day = amount(options.spendDay);
  if (options.spendMonth !== undefined) changes.spend_month = amount(options.spendMonth);
  if (options.spendTotal !== undefined) changes.spend_total = amount(options.spendTotal);
  if (options.maxOpen !== undefined) changes.open = count(options.maxOpen);
  if (options.maxWaiting !== undefined) changes.waiting = count(options.maxWaiting);
  if (options.maxRunning !== undefined) changes.running = count(options.maxRunning);
  if (options.inputDay !== undefined) changes.input_bytes_day = bytes(options.inputDay);
  for (const rate of options.rate ?? []) Object.assign(changes, rateOf(rate));
  return changes;
}

function rateOf(text: string): Changes {
  const word = wordOf(text);
  if (word !== undefined) return { requests_second: word, requests_minute: word };
  const [, requests = '', unit] = /^(\d+)\/([sm])$/.exec(text) ?? [];
  const most = count(requests);
  return unit === 'm' ? { requests_minute: most } : { requests_second: most };
}

function count(text: string): number | null | 'default' {
  const word = wordOf(text);
  if (word !== undefined) return word;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(
    'A number of jobs is such as 20, a rate such as 10/s or 600/m, and "none" removes the limit.',
  );
}

const unitBytes = { '': 1, kB: 1_000, MB: 1_000_000, GB: 1_000_000_000 };

function bytes(text: string): number | null | 'default' {
  const word = wordOf(text);
  if (word !== undefined) return word;
  const [, digits, unit] = /^(\d{1,9})(|kB|MB|GB)$/.exec(text) ?? [];
  if (digits !== undefined) return Number(digits) * unitBytes[unit as keyof typeof unitBytes]; // the pattern allows only these units
  throw new InvalidArgumentError('A number of bytes is such as 500MB or 2GB, and "none" removes the limit.');
}

function wordOf(text: string): null | 'default' | undefined {
  if (text === 'none') return null;
  return text === 'default' ? text : undefined;
}
