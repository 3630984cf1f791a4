/** The error if more requests come than can be served in time. Its message is a sentence for the client. */
export class Overloaded extends Error {
  override name = 'Overloaded';

  /** @param options `cause` if operators should look into it */
  constructor(
    message = 'More requests are waiting than can be accepted in time. Send this one again shortly.',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
