import type { Job } from '@darkroom/server/panel-contract';
import { type CSSProperties, useMemo } from 'react';
import { thumbHashToDataURL } from 'thumbhash';
import classes from './image.module.css';
import { atWidth, steadyLink, widths } from './image-links.ts';

/** An image's link, placeholder and size. The link is missing once the image is deleted. */
export type ImageFacts = Pick<NonNullable<Job['result']>, 'image_url' | 'thumbhash' | 'width' | 'height'>;

interface ImageProps {
  facts: ImageFacts;
  /** The prompt; empty if the same words are next to the image. */
  alt: string;
  /** The width at which the image is shown, as in the `sizes` attribute: `(max-width: 800px) 33vw, 200px`. */
  sizes: string;
  /** The width-to-height ratio of the frame, which crops the image; by default the image's own. */
  ratio?: number;
  /** Loads the image immediately instead of lazily, for images in view when the page opens. */
  eager?: boolean;
  className?: string | undefined;
  style?: CSSProperties;
}

/** An image. A placeholder takes its place until it loads, so that nothing moves. */
export function Image({ facts, alt, sizes, ratio, eager = false, className, style }: ImageProps) {
  const { image_url: link, thumbhash, width, height } = facts;
  const placeholder = useMemo(() => thumbhash && `url(${dataUrlOf(thumbhash)})`, [thumbhash]);
  if (link === undefined) return null;
  const source = steadyLink(link);
  return (
    <img
      className={className ? `${classes.image} ${className}` : classes.image}
      style={{
        aspectRatio: ratio ?? width / height,
        ...(placeholder && { backgroundImage: placeholder }),
        ...style,
      }}
      src={atWidth(source, widths[0])}
      srcSet={sourcesOf(source, width)}
      sizes={sizes}
      alt={alt}
      width={width}
      height={height}
      loading={eager ? 'eager' : 'lazy'}
      decoding="async"
    />
  );
}

function sourcesOf(link: string, ownWidth: number): string {
  const narrower = widths.filter((width) => width < ownWidth);
  const next = widths[narrower.length];
  const sources = narrower.map((width) => `${atWidth(link, width)} ${width}w`);
  // The server sends the full image for a width above the image's own.
  if (next !== undefined) sources.push(`${atWidth(link, next)} ${Math.min(next, ownWidth)}w`);
  return sources.join(', ');
}

function dataUrlOf(thumbhash: string): string {
  return thumbHashToDataURL(Uint8Array.from(atob(thumbhash), (letter) => letter.charCodeAt(0)));
}
