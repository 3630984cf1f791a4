/**
 * The values of a statement, as both databases can keep and compare them: PostgreSQL refuses NUL in any text, and SQLite would keep
 * another text than it.
 */
export function storableValues(values: readonly unknown[]): readonly unknown[] {
  return values.every(isStorable) ? values : values.map(toStorable);
}

/** One such text would fail a whole batch of rows. */
export function storable<Value>(value: Value): Value | string {
  if (typeof value !== 'string' || isStorable(value)) return value;
  return value.toWellFormed().replaceAll('\0', '\ufffd');
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  return !Array.isArray(value) || value.every(isStorable);
}

function toStorable(value: unknown): unknown {
  return Array.isArray(value) ? value.map(toStorable) : storable(value);
}
