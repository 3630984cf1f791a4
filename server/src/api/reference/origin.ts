/** What stands in the code for this server's address; pages mark it, so that the browser can put in its own. */
export const originPlaceholder = 'http://127.0.0.1:3000';
