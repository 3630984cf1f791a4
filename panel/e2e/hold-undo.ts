/** Runs in the page: keeps a deletion undoable for as long as the test needs, however slow the machine. */
export function holdUndo(): void {
  const undoMs = 10_000;
  const { setTimeout } = window;
  const held = (run: TimerHandler, ms?: number, ...rest: unknown[]) =>
    setTimeout(run, ms === undoMs ? 60 * undoMs : ms, ...rest);
  Object.assign(window, { setTimeout: held });
}
