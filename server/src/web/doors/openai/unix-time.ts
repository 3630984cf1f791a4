/** As OpenAI's API gives times. */
export function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
