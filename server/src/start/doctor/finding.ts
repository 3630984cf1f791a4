export interface Finding {
  name: string;
  /** `warn`: it works, but operators should know something. `fail`: it does not work. */
  status: 'ok' | 'warn' | 'fail';
  found: string;
  next?: string;
}

/** A library's message is often only `fetch failed`, so the text includes the cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message, name } = error;
  const outer = message || ('code' in error ? String(error.code) : name);
  const inner = cause instanceof Error ? reasonOf(cause) : '';
  if (outer.includes(inner)) return outer;
  return /failed$/.test(outer) ? inner : `${outer.replace(/\.$/, '')}: ${inner}`;
}
