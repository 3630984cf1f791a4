import { Button, type ButtonProps } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent } from 'react';

/** A link within the panel. `reload` is for pages that use origins that this page's policy refuses. */
export function Link(
  props: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string; reload?: boolean | undefined },
) {
  const { href, onClick, reload, ...rest } = props;
  const router = useRouter();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (event.defaultPrevented || !plain || rest.target || reload) return;
    event.preventDefault();
    router.history.push(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}

/** Opens a page of the panel. With `replace`, as for a filter, adds no history entry and does not scroll. */
export function useGo(): (href: string, options?: { replace?: boolean }) => void {
  const router = useRouter();
  return (href, options) =>
    options?.replace
      ? void router.navigate({ href, replace: true, resetScroll: false })
      : router.history.push(href);
}

/** Saves the file under the server's name for it. */
export function DownloadButton(props: Pick<ButtonProps, 'size' | 'children'> & { href: string }) {
  return <Button component="a" variant="default" download {...props} />;
}
