import classes from './code-block.module.css';
import { CopyButton } from './copy.tsx';

export function CodeBlock({ code, what, wrap = false }: { code: string; what: string; wrap?: boolean }) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long texts scroll, and the keyboard must reach them */}
      <section className={classes.scroll} tabIndex={0} aria-label={what}>
        <pre className={classes.code} data-wrap={wrap || undefined}>
          {code}
        </pre>
      </section>
      <div className={classes.copy}>
        <CopyButton text={code} what={what} />
      </div>
    </div>
  );
}
