/** Reads untrusted JSON: anything missing or of another type is undefined. */
export function pick(value: unknown, ...path: (string | number)[]): unknown {
  let current = value;
  for (const step of path) {
    if (current === null || typeof current !== 'object') return undefined;
    current = Object.hasOwn(current, step) ? Reflect.get(current, step) : undefined;
  }
  return current;
}

export function pickText(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = pick(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function pickList(value: unknown, ...path: (string | number)[]): readonly unknown[] {
  const found = pick(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function pickCount(value: unknown, ...path: (string | number)[]): number | undefined {
  const found = pick(value, ...path);
  return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : undefined;
}
