// Of one image, in micro-units.
const most = 100_000_000;

/** What an image cost, rounded; undefined for what can only be a mistake of the answer, which must not spoil a margin. */
export function plausibleMicros(micros: number): bigint | undefined {
  return micros >= 0 && micros <= most ? BigInt(Math.round(micros)) : undefined;
}
