/** Amounts are whole micro-units (millionths of the installation's currency) in `bigint`. */
const microsPerUnit = 1_000_000n;

/** The largest amount that every database driver represents exactly. CHECK constraints enforce it too. */
export const maxMicros = 9_000_000_000_000_000n;

/** Formats an amount as `"100.00"` or `"99.961"`, with two to six decimals and no trailing zeros after the second. */
export function formatMicros(micros: bigint): string {
  const [sign, absolute] = micros < 0n ? ['-', -micros] : ['', micros];
  const fraction = (absolute % microsPerUnit).toString().padStart(6, '0');
  return `${sign}${absolute / microsPerUnit}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/(?<!0)0+$/, '')}`;
}

/** Reads `10`, `10.5` or `0.000001`; undefined for anything else, including signs and exponents. */
export function parseMicros(text: string): bigint | undefined {
  const match = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return undefined;
  const [, units = '', fraction = ''] = match;
  const micros = BigInt(units) * microsPerUnit + BigInt(fraction.padEnd(6, '0'));
  return micros <= maxMicros ? micros : undefined;
}
