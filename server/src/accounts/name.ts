/** For names of accounts, keys and people, in characters: as much as a table column still shows. */
export const maxNameLength = 100;
