/** The longest name of an account, key or person in characters, which still fits a column of the panel's tables. */
export const maxNameLength = 100;
