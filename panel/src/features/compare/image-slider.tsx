import { type ReactNode, useState } from 'react';
import classes from './image-slider.module.css';

/** Two images of equal shape, one over the other. Mouse, touch and arrow keys move the divider. */
export function ImageSlider(props: {
  ratio: number;
  label: string;
  left: ReactNode;
  right: ReactNode;
  children?: ReactNode;
}) {
  const [share, setShare] = useState(50);
  return (
    <div
      className={classes.frame}
      style={{ aspectRatio: props.ratio, width: `min(100%, 78vh * ${props.ratio})` }}
    >
      {props.right}
      <div className={classes.over} style={{ clipPath: `inset(0 ${100 - share}% 0 0)` }}>
        {props.left}
      </div>
      {props.children}
      <i className={classes.bar} style={{ left: `${share}%` }} aria-hidden />
      <input
        className={classes.range}
        type="range"
        min={0}
        max={100}
        value={share}
        aria-label={props.label}
        onChange={(event) => setShare(Number(event.currentTarget.value))}
      />
    </div>
  );
}
