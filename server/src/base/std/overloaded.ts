/** The error if more requests arrive than can be served in time. Its message is a sentence for the client. */
export class Overloaded extends Error {
  override name = 'Overloaded';

  /** @param options have a `cause` if operators should look into the error */
  constructor(
    message = 'More requests are waiting than can be accepted in time. Send this one again shortly.',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
