import { StoreError, StoreUnavailable } from '../image-store.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reports an input/output error',
  EROFS: 'the disk is mounted read-only',
  EACCES: 'this process has no permission',
  EPERM: 'this process has no permission',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the machine has too many files open',
  ENAMETOOLONG: 'the path is too long for this disk',
  ENOTDIR: 'a file stands where a folder is needed',
  EISDIR: 'a folder stands where a file is needed',
  EEXIST: 'something else stands in its place',
  ELOOP: 'a symbolic link stands in its place',
};

/** Errors that pass once space is freed or another process ends. An operator must fix all others. */
const passing: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE']);

export async function onDisk<Result>(doing: string, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    throw diskError(doing, error);
  }
}

export function diskError(doing: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const code = codeOf(cause) ?? 'no code';
  const Kind = passing.has(code) ? StoreUnavailable : StoreError;
  return new Kind(`cannot ${doing}: ${reasonOf(code)}`, {
    cause,
  });
}

export function reasonOf(code: string): string {
  return `${reasons[code] ?? 'the file system refused'} (${code})`;
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
