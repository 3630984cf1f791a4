import { isAt } from '../descriptor.ts';

/** Whether the address is OpenAI's own: OpenAI's key is sent only to OpenAI. */
export const isOpenAi = isAt(/^(.+\.)?openai\.com$/);
