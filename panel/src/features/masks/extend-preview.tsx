import { Image, type ImageFacts } from '../../ui/image.tsx';
import type { Frame } from './extend.ts';
import classes from './extend-preview.module.css';

export function ExtendPreview({ facts, alt, frame }: { facts: ImageFacts; alt: string; frame: Frame }) {
  const percent = (part: number, whole: number) => `${(part / whole) * 100}%`;
  return (
    <div className={classes.stage}>
      <div
        className={classes.frame}
        style={
          {
            aspectRatio: frame.width / frame.height,
            '--shape': frame.width / frame.height,
          } as React.CSSProperties
        } // read by the style sheet
      >
        <Image
          facts={facts}
          alt={alt}
          sizes="(max-width: 1000px) 100vw, 70vw"
          eager
          className={classes.image}
          style={{
            left: percent(frame.x, frame.width),
            top: percent(frame.y, frame.height),
            width: percent(facts.width, frame.width),
          }}
        />
      </div>
    </div>
  );
}
