import { isAt } from '../descriptor.ts';

/** OpenAI's key is sent only to OpenAI. */
export const isOpenAi = isAt(/^(.+\.)?openai\.com$/);
