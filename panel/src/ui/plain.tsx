import type { ReactNode } from 'react';
import { BrandLinks, Logo } from './brand/brand.tsx';
import { usePageTitle } from './page.tsx';
import classes from './plain.module.css';

/** A page without the shell: one narrow column. */
export function Plain({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  return (
    <main id="main" className={classes.plain}>
      <Logo height={36} />
      <h1>{title}</h1>
      {children}
      <BrandLinks />
    </main>
  );
}
