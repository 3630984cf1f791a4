/** The most characters of a name of an account, key or person: as many as a table column still shows. */
export const maxNameLength = 100;
