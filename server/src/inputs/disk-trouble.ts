const codes = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'] as const;
export type DiskTroubleCode = (typeof codes)[number];

/** The disk refused a temporary file: no input is to blame, and the same request works once the disk is put right. */
export function isDiskTrouble(error: unknown): error is Error & { code: DiskTroubleCode } {
  return error instanceof Error && 'code' in error && isDiskTroubleCode(error.code);
}

export function isDiskTroubleCode(code: unknown): code is DiskTroubleCode {
  return codes.some((known) => known === code);
}
