/**
 * The maximum length of an account's, key's or person's name in characters. It still fits a column of the panel's
 * tables.
 */
export const maxNameLength = 100;
