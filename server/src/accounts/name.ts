/** Of accounts, keys and people, in characters: what a column of a table still shows. */
export const maxNameLength = 100;
