/** Says why a file cannot be read or written, in words that can follow a colon. */
export function fileTrouble(error: unknown): string {
  const { code, message = String(error) } = error as Partial<NodeJS.ErrnoException>; // any value can be thrown
  return words[code ?? ''] ?? message;
}

export function knownTrouble(error: NodeJS.ErrnoException): string | undefined {
  return error.path !== undefined || error.syscall === 'write' ? words[error.code ?? ''] : undefined;
}

const words: Record<string, string> = {
  ENOENT: 'the file does not exist',
  ENOTDIR: 'the folder does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not open it',
  EPERM: 'this user may not open it',
  EROFS: 'its disk is read-only',
  EFBIG: 'the file is larger than allowed there',
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk is full',
  EIO: 'its disk fails',
  EMFILE: 'too many files are open',
};
