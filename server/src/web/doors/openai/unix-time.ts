export function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
