/** Why a file of somebody's cannot be read or written, in words that fit after a colon. */
export function fileTrouble(error: unknown): string {
  const { code, message = String(error) } = error as Partial<NodeJS.ErrnoException>; // whatever was thrown
  return words[code ?? ''] ?? message;
}

/** The same of what may be no trouble with a file at all, which has no path and is no failed write. */
export function knownTrouble(error: NodeJS.ErrnoException): string | undefined {
  return error.path !== undefined || error.syscall === 'write' ? words[error.code ?? ''] : undefined;
}

const words: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not open it',
  EPERM: 'this user may not open it',
  EROFS: 'its disk is read-only',
  EFBIG: 'a file may not be so large there',
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk is full',
  EIO: 'its disk fails',
  EMFILE: 'too many files are open',
};
