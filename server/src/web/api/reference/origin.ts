/**
 * The placeholder for this server's address in examples. Pages mark it, so that the script can insert the real address.
 */
export const originPlaceholder = 'http://127.0.0.1:3000';
