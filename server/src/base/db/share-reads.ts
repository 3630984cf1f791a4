/** Shares reads: calls made in one turn of the event loop, or while a read is running, get the result of one read. */
export function shareReads<Read>(read: () => Promise<Read>): () => Promise<Read> {
  let shared: Promise<Read> | undefined;
  const forget = () => setImmediate(() => (shared = undefined));
  return () => {
    if (shared) return shared;
    shared = read();
    shared.then(forget, forget);
    return shared;
  };
}
