import { isAt } from '../descriptor.ts';

/** OpenAI's key is sent to no other address. */
export const isOpenAi = isAt(/^(.+\.)?openai\.com$/);
