import { isAt } from '../descriptor.ts';

/** Whether this is OpenAI itself, who alone is given a key of OpenAI. */
export const isOpenAi = isAt(/^(.+\.)?openai\.com$/);
