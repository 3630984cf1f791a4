export class GuardError extends Error {
  override name = 'GuardError';
  /** `blocked` will not change by trying again; the others may. */
  readonly reason: 'blocked' | 'name_not_found' | 'lookup_failed' | 'lookup_timeout';

  /** `message` is a sentence for the client; it names no address. */
  constructor(reason: GuardError['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}
