/** The number of decimals, more than any currency has. */
const places = 6;

/** Adds decimal amounts without floats, which would round. The sum has at least two decimals. */
export function sumOf(amounts: readonly string[]): string {
  return textOf(amounts.reduce((sum, amount) => sum + microsOf(amount), 0n));
}

/** Subtracts `less`, which is at most `amount`. */
export function leftOf(amount: string, less: string): string {
  return textOf(microsOf(amount) - microsOf(less));
}

function textOf(micros: bigint): string {
  const sign = micros < 0n ? '-' : '';
  const digits = String(micros)
    .replace('-', '')
    .padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0{1,4}$/, '');
  return `${sign}${digits.slice(0, -places)}.${fraction}`;
}

export function microsOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
}
