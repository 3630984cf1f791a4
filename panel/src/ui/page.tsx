import { type ReactNode, useEffect } from 'react';
import { brand } from './brand/brand.tsx';
import classes from './page.module.css';

export function Page(props: {
  title: string;
  heading?: ReactNode;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  usePageTitle(props.title);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <div className={classes.words}>
          <h1>{props.heading ?? props.title}</h1>
          {props.intro && <p className={classes.intro}>{props.intro}</p>}
        </div>
        {props.actions && <div className={`row ${classes.actions}`}>{props.actions}</div>}
      </header>
      {props.children}
    </div>
  );
}

export function Section(props: {
  title: string;
  hint?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={classes.section}>
      <div className={classes.sectionHead}>
        <h2>{props.title}</h2>
        {props.hint && <span className="soft small">{props.hint}</span>}
        {props.actions && <div className="row end">{props.actions}</div>}
      </div>
      {props.children}
    </section>
  );
}

export function CardSection(props: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="card padded stack">
      <div className={classes.sectionHead}>
        <h2>{props.title}</h2>
        {props.actions && <div className="row end">{props.actions}</div>}
      </div>
      {props.children}
    </section>
  );
}

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${brand.name}`;
  }, [title]);
}
