/** The longest name of an account, key or person, in characters: what a table column can show. */
export const maxNameLength = 100;
