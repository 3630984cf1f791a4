const codes = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'] as const;
export type DiskTroubleCode = (typeof codes)[number];

/** Whether the disk failed. The inputs are not at fault, so the request works again when the disk does. */
export function isDiskTrouble(error: unknown): error is Error & { code: DiskTroubleCode } {
  return error instanceof Error && 'code' in error && isDiskTroubleCode(error.code);
}

export function isDiskTroubleCode(code: unknown): code is DiskTroubleCode {
  return codes.some((known) => known === code);
}
