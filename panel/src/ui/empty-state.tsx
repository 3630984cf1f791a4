import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

export function EmptyState(props: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className={classes.empty}>
      <h2 className={classes.title}>{props.title}</h2>
      <div className={classes.text}>{props.children}</div>
      {props.action && <div className="row">{props.action}</div>}
    </div>
  );
}
