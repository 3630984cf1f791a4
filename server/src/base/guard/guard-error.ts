export class GuardError extends Error {
  override name = 'GuardError';
  /** Trying again does not help with `blocked`; with the others it may. */
  readonly reason: 'blocked' | 'name_not_found' | 'lookup_failed' | 'lookup_timeout';

  /** `message` is a sentence for the client, without addresses. */
  constructor(reason: GuardError['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}
