import { Skeleton } from '@mantine/core';
import classes from './skeletons.module.css';

export function TableSkeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div className={classes.table} aria-busy>
      {times(rows + 1).map((row) => (
        <div key={row} className={classes.row}>
          <Skeleton height={11} width={`${28 + ((row * 13) % 17)}%`} />
          <Skeleton height={11} width="11%" />
          <Skeleton height={11} width="9%" />
        </div>
      ))}
    </div>
  );
}

export function DetailSkeleton() {
  return (
    <div className="columns" aria-busy>
      <Skeleton style={{ aspectRatio: '4 / 3' }} height="auto" radius={8} />
      <div className={classes.table}>
        {times(9).map((row) => (
          <div key={row} className={classes.row}>
            <Skeleton height={11} width="22%" />
            <Skeleton height={11} width={`${30 + ((row * 11) % 23)}%`} />
          </div>
        ))}
      </div>
    </div>
  );
}

export function FiguresSkeleton({ count = 4 }: { count?: number }) {
  return (
    <div className="stack wide" aria-busy>
      <div className={classes.figures}>
        {times(count).map((one) => (
          <div key={one} className="stack tight">
            <Skeleton height={10} width={72} />
            <Skeleton height={20} width={96} />
          </div>
        ))}
      </div>
      <Skeleton height={260} radius={8} />
    </div>
  );
}

export function CardsSkeleton({ count = 3, height = 120 }: { count?: number; height?: number }) {
  return (
    <div className="stack" aria-busy>
      {times(count).map((one) => (
        <Skeleton key={one} height={height} radius={8} />
      ))}
    </div>
  );
}

function times(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
