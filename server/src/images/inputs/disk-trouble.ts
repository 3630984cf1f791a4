const codes = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'] as const;
export type DiskTroubleCode = (typeof codes)[number];

/**
 * Returns why the disk failed; undefined for other errors. The inputs are not at fault, so the same request works once
 * the disk does.
 */
export function diskTroubleOf(error: unknown): DiskTroubleCode | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && isDiskTroubleCode(error.code)) return error.code;
  // The cause may be in a SuppressedError, because removing a request's files from such a disk often fails too.
  return 'suppressed' in error && 'error' in error ? diskTroubleOf(error.error) : undefined;
}

export function isDiskTroubleCode(code: unknown): code is DiskTroubleCode {
  return codes.some((known) => known === code);
}
