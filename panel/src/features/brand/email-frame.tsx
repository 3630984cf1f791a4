import { useRef, useState } from 'react';
import classes from './brand.module.css';

/**
 * Shows an email in a frame without scripts. The frame inherits this page's policy, which forbids inline styles, so a
 * script of this page sets them.
 */
export function EmailFrame(props: { title: string; html: string; scheme: 'light' | 'dark'; width: number }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(480);
  const [, styles = ''] = /<style>([\s\S]*?)<\/style>/.exec(props.html) ?? [];
  const bare = props.html.replace(`<style>${styles}</style>`, '').replaceAll(' style="', ' data-style="');
  const dress = () => {
    const document = frame.current?.contentDocument;
    const view = frame.current?.contentWindow as (Window & typeof globalThis) | null | undefined;
    if (!document || !view) return;
    for (const element of document.querySelectorAll<HTMLElement>('[data-style]'))
      element.style.cssText = element.dataset.style ?? '';
    const sheet = new view.CSSStyleSheet();
    // A media query would follow the system's colour scheme instead of the one chosen here.
    sheet.replaceSync(
      styles.replace('(prefers-color-scheme: dark)', props.scheme === 'dark' ? 'all' : 'not all'),
    );
    document.adoptedStyleSheets = [sheet];
    // Reads `offsetHeight`: with `scrollHeight`, which is never below the frame's height, the frame could not shrink.
    setHeight(document.documentElement.offsetHeight);
  };
  return (
    <iframe
      // A new frame for each email, so that it starts with the right styles.
      key={`${props.width} ${props.scheme} ${props.html}`}
      ref={frame}
      title={props.title}
      className={classes.frame}
      sandbox="allow-same-origin"
      srcDoc={bare}
      style={{ width: props.width, height }}
      onLoad={dress}
    />
  );
}
