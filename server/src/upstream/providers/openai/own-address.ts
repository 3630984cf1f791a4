import { isAt } from '../descriptor.ts';

/** Whether the address is OpenAI's own, the only one to which OpenAI's key is sent. */
export const isOpenAi = isAt(/^(.+\.)?openai\.com$/);
