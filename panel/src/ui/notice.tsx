import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './notice.module.css';

/** With `alert`, screen readers announce the notice. */
export function Notice(props: {
  tone: 'bad' | 'warn' | 'calm';
  title: ReactNode;
  alert?: boolean;
  children?: ReactNode;
}) {
  const Icon = props.tone === 'calm' ? IconInfoCircle : IconAlertTriangle;
  return (
    <div className={classes.notice} data-tone={props.tone} {...(props.alert && { role: 'alert' })}>
      <Icon size={17} aria-hidden className={classes.icon} />
      <div className={classes.body}>
        <p className="strong">{props.title}</p>
        {props.children}
      </div>
    </div>
  );
}
