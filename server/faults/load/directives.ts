/** The provider stub refuses, or takes its time, when the prompt has one of these. */
export const directives = { refuse: '[[refuse]]', slow: '[[slow]]' } as const;
