import classes from './progress.module.css';

export function Progress(props: { name: string; all: number; done: number; failed: number }) {
  const { name, all, done, failed } = props;
  const part = (count: number) => `${(100 * count) / Math.max(1, all)}%`;
  return (
    <div
      className={classes.bar}
      role="progressbar"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={all}
      aria-valuenow={done + failed}
      aria-valuetext={`${done + failed} of ${all}, ${failed} failed`}
    >
      <span className={classes.done} style={{ width: part(done) }} />
      <span className={classes.failed} style={{ width: part(failed) }} />
    </div>
  );
}
