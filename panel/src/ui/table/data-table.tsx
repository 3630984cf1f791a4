import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column<Row> {
  name: string;
  /** True if only screen readers get the column's name. */
  quiet?: boolean;
  align?: 'end';
  wideOnly?: boolean;
  cell: (row: Row) => ReactNode;
}

/** A table for up to a few hundred rows. */
export function DataTable<Row>(props: {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string | number;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, and the keyboard must reach it
    <section className={classes.frame} tabIndex={0} aria-label={props.caption}>
      <table className={classes.table}>
        <caption className="sr-only">{props.caption}</caption>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th key={column.name} scope="col" data-align={column.align} data-wide-only={column.wideOnly}>
                {column.quiet ? <span className="sr-only">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.rowKey(row)}>
              {props.columns.map((column) => (
                <td key={column.name} data-align={column.align} data-wide-only={column.wideOnly}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
