export interface Loaded<T> {
  (): Promise<T>;
  /** Lets the next call load again. Returns what was loaded; undefined if nothing was. */
  forget(): Promise<T | undefined>;
}

/**
 * Loads at the first call, to save the memory of what a process never uses. After a failure, such as of a process without
 * file descriptors, the next call loads again.
 */
export function loadOnce<T>(load: () => Promise<T>): Loaded<T> {
  let loading: Promise<T> | undefined;
  const loaded = () => {
    if (loading) return loading;
    const own = load();
    own.catch(() => {
      if (loading === own) loading = undefined;
    });
    loading = own;
    return own;
  };
  const forget = async () => {
    const known = loading;
    loading = undefined;
    return known?.catch(() => undefined);
  };
  return Object.assign(loaded, { forget });
}
