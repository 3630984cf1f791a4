/** Whether there is a process with this id on this machine. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // ESRCH: there is no such process. Anything else means that there is one, of somebody else.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
