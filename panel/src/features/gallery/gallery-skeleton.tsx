import { Skeleton } from '@mantine/core';
import classes from './gallery-skeleton.module.css';

const ratios = [1.5, 1, 1.78, 0.8, 1.33, 1, 0.67, 1.78, 1.5, 1, 1.33, 0.8, 1.78, 1, 1.5, 0.75, 1.33, 1];

export function GallerySkeleton() {
  return (
    <div className={classes.sheet} aria-busy>
      {ratios.map((ratio, index) => (
        <Skeleton
          // biome-ignore lint/suspicious/noArrayIndexKey: the ratios never change
          key={index}
          radius={4}
          height="clamp(128px, 14vw, 280px)"
          style={{
            flex: `${ratio} 1 clamp(${Math.round(128 * ratio)}px, ${14 * ratio}vw, ${Math.round(280 * ratio)}px)`,
          }}
        />
      ))}
    </div>
  );
}
