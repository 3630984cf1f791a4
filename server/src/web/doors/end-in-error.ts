/**
 * Lets events end in the event of an error, because the status has been sent. An error within an event breaks the
 * connection, because no event can follow half an event, and so that a retry gets the image.
 */
export async function* endInError(
  pieces: AsyncIterable<string>,
  errorEvent: (error: unknown) => string,
): AsyncIterable<string> {
  let sent = '';
  try {
    for await (sent of pieces) yield sent;
  } catch (error) {
    const last = errorEvent(error);
    if (!isEnd(sent)) throw error;
    yield last;
  }
}

/** Each event ends in an empty line. Nothing was sent yet if `sent` is empty. */
function isEnd(sent: string): boolean {
  return sent === '' || sent.endsWith('\n\n') || sent.endsWith('\n\r\n');
}
