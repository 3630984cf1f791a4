import type { ReactNode } from 'react';
import classes from './figures.module.css';

export function Figures({ children }: { children: ReactNode }) {
  return <dl className={classes.figures}>{children}</dl>;
}

export function Figure(props: { name: string; hint?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.figure}>
      <dt>{props.name}</dt>
      <dd className={classes.value}>{props.children}</dd>
      {props.hint && <dd className={classes.hint}>{props.hint}</dd>}
    </div>
  );
}

export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
