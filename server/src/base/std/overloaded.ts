/** The error for more requests than can be served in time. Its message is a sentence for the client. */
export class Overloaded extends Error {
  override name = 'Overloaded';

  /** @param options `cause` where operators should look at it */
  constructor(
    message = 'More requests are waiting than can be accepted in time. Send this one again shortly.',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
