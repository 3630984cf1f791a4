/** Characters of the prompts in a list. */
export const shownPromptLength = 200;
