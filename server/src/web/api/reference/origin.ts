/** The placeholder for this server's address in examples, which a script replaces in pages. */
export const originPlaceholder = 'http://127.0.0.1:3000';
