/** Times as OpenAI's API gives them. */
export function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
