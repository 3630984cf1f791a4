import { decimals, number } from '../../languages/format.ts';

export function bytesText(bytes: number): string {
  return bytes < 1_000_000 ? `${number(Math.ceil(bytes / 1000))} kB` : `${decimals(bytes / 1_000_000, 1)} MB`;
}
