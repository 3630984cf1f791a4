import type { Fields } from '../../emulators/stripe-cards.ts';

export function spoil(event: Fields | undefined, path: readonly string[], value: unknown): Fields {
  const [field = '', ...deeper] = path;
  const inner = deeper.length === 0 ? value : spoil(Object(event?.[field]), deeper, value);
  const spoilt = { ...event, [field]: inner };
  if (inner === undefined) delete spoilt[field];
  return spoilt;
}
