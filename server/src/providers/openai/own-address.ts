/** Whether this is OpenAI itself, who alone is given a key of OpenAI. */
export function isOpenAi(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' && /^(.+\.)?openai\.com$/.test(url.hostname);
}
