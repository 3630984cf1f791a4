import type { World } from './world.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** Lets time pass until half past twelve of the next day, UTC, so that no hour, day or month ends within the test. */
export async function toNoon({ clock, elapse }: World): Promise<void> {
  await elapse(dayMs + 12.5 * hourMs - (clock.nowMs() % dayMs));
}
