/** Converts to the times of OpenAI's API. */
export function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
