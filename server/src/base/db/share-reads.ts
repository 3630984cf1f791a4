/** Calls that are made in one turn of the event loop, or while a read is running, share that read. */
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
