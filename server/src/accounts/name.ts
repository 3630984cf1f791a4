/** Characters, of an account, key or person: what a table column can show. */
export const maxNameLength = 100;
