/** Replaces what a database cannot store, so that both store equal values: PostgreSQL refuses NUL in texts. */
export function storableValues(values: readonly unknown[]): readonly unknown[] {
  return values.every(isStorable) ? values : values.map(toStorable);
}

/** Replaces characters that a database cannot store, because one such text would make a whole batch of rows fail. */
export function storable<Value>(value: Value): Value | string {
  if (typeof value !== 'string' || isStorable(value)) return value;
  return value.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Many values in one Kysely parameter. The caller writes all placeholders but the last, which Kysely adds. */
export class Spread {
  readonly values: readonly unknown[];

  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}

export function spreadOut(parameters: readonly unknown[]): readonly unknown[] {
  const values: unknown[] = [];
  for (const value of parameters)
    if (value instanceof Spread) for (const one of value.values) values.push(one);
    else values.push(storable(value));
  return values;
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  return !Array.isArray(value) || value.every(isStorable);
}

function toStorable(value: unknown): unknown {
  return Array.isArray(value) ? value.map(toStorable) : storable(value);
}
