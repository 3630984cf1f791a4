export class GuardError extends Error {
  override name = 'GuardError';
  /** A retry is useless only for `blocked`. */
  readonly reason: 'blocked' | 'name_not_found' | 'lookup_failed' | 'lookup_timeout';

  /** `message` is a sentence for the client, without addresses. */
  constructor(reason: GuardError['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}
