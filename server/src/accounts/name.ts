/** The longest name of an account, key or person in characters, which still fits a table column. */
export const maxNameLength = 100;
