import type { ModelId, ParameterValue } from '@darkroom/sdk';
import { InvalidArgumentError } from 'commander';

const unitsMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export function parseDurationMs(text: string): number {
  const match = /^(\d{1,6})([smhdw])$/.exec(text);
  if (match === null || Number(match[1]) === 0) {
    throw new InvalidArgumentError('A duration is a number and s, m, h, d or w, such as 1h or 90d.');
  }
  return Number(match[1]) * unitsMs[match[2] as keyof typeof unitsMs]; // the pattern allows no other unit
}

/** `nb,nb2`. */
export function parseModels(text: string): ModelId[] {
  return [...new Set(text.split(',').map((part) => parseModel(part.trim())))];
}

export function parseModel(text: string): ModelId {
  if (/^[a-z0-9][a-z0-9.-]{0,39}$/.test(text)) return text;
  throw new InvalidArgumentError('A model is named by its id, such as nb2; "darkroom models" lists them.');
}

const longestList = 100;
const mostImages = 10;

export const parseLimit = wholeNumber(1, longestList);
export const parseCount = wholeNumber(1, mostImages);
export const parseWhole = wholeNumber(1);
export const parsePercent = wholeNumber(0, 100);

function wholeNumber(least: number, most?: number): (text: string) => number {
  return (text) => {
    const number = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : -1;
    if (number >= least && number <= (most ?? number)) return number;
    throw new InvalidArgumentError(
      `A whole number from ${least} ${most === undefined ? 'on' : `to ${most}`}.`,
    );
  };
}

/** Parses a pair such as `order=1042`, and adds it to earlier pairs. */
export function parsePair(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Metadata is a name and a value, such as order=1042.');
  return { ...before, [name]: value };
}

/**
 * Parses a parameter such as `seed=7`, and adds it to earlier parameters. Text that is a JSON number or boolean becomes
 * that value.
 */
export function parseParameter(
  text: string,
  before: Record<string, ParameterValue> = {},
): Record<string, ParameterValue> {
  const [, name, value] = /^([a-z][a-z0-9_]{0,39})=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('A parameter is a name and a value, such as seed=7.');
  return {
    ...before,
    [name]: /^(true|false|-?\d+(\.\d+)?(e[+-]?\d+)?)$/i.test(value) ? JSON.parse(value) : value,
  };
}
