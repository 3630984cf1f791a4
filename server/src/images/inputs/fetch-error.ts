import { errors } from 'undici';
import { GuardError } from '../../base/guard/guard-error.ts';
import { InputError } from './input-errors.ts';

/** Explains a failed download to the client. Returns errors on our side unchanged. */
export function explainFetchError(error: unknown): unknown {
  if (error instanceof GuardError) {
    return new InputError(
      error.reason === 'blocked' ? 'input_blocked' : 'input_unfetchable',
      error.message,
      error,
    );
  }
  if (error instanceof errors.HTTPParserError)
    return unfetchable('The answer of the server is not valid HTTP.', error);
  if (!(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // A network error has a code; an error without a code is a defect. A full disk is a problem of ours.
  if (code === '' || ownTroubles.has(code) || isFileAccess(error, code)) return error;
  return unfetchable(networkDetails[code] ?? tlsDetail(code) ?? fallbackDetail, error);
}

const ownTroubles = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOENT', 'EEXIST', 'EIO']);

/** Excludes connections, which a firewall can refuse with the same code. */
function isFileAccess(error: Error, code: string): boolean {
  return code === 'EACCES' && 'syscall' in error && error.syscall === 'open';
}

const fallbackDetail = 'The connection to the server broke before the file was complete. Try again.';

const networkDetails: Record<string, string> = {
  ECONNREFUSED: 'The server refused the connection. Check the host and port of the URL.',
  EHOSTUNREACH: 'The server cannot be reached.',
  ENETUNREACH: 'The server cannot be reached.',
  ETIMEDOUT: 'The server did not accept a connection in time.',
  UND_ERR_CONNECT_TIMEOUT: 'The server did not accept a connection in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too large.',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The server sent fewer or more bytes than it announced.',
};

function tlsDetail(code: string): string | undefined {
  if (!/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/.test(code)) return undefined;
  return `A secure connection could not be established: the server's certificate or TLS setup is not valid (${code}).`;
}

export function unfetchable(detail: string, cause?: unknown): InputError {
  return new InputError('input_unfetchable', detail, cause);
}
