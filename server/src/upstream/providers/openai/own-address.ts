import { isAt } from '../descriptor.ts';

/** Reports whether the address is OpenAI's own. Only OpenAI gets a key of OpenAI. */
export const isOpenAi = isAt(/^(.+\.)?openai\.com$/);
