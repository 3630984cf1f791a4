/** Parts of a prompt that make the provider stub refuse, or answer slowly. */
export const directives = { refuse: '[[refuse]]', slow: '[[slow]]' } as const;
