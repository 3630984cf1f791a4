import { isModelId, type ModelId, modelIds } from '@darkroom/sdk';
import { InvalidArgumentError } from 'commander';

const unitsMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `90d`, `12h`, `30m`, `45s`, `2w`. */
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
  if (isModelId(text)) return text;
  throw new InvalidArgumentError(`Allowed models are ${modelIds.join(', ')}.`);
}

const longestList = 100;

export function parseLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= longestList) return limit;
  throw new InvalidArgumentError(`A number from 1 to ${longestList}.`);
}
