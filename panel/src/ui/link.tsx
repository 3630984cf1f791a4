import { useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent } from 'react';

/** A link to a page of the panel: a plain anchor that does not load the page again. */
export function Link({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const router = useRouter();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (event.defaultPrevented || !plain || rest.target) return;
    event.preventDefault();
    router.history.push(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}

/** Goes to a page of the panel. `replace` for what is no new place, such as a filter. */
export function useGo(): (href: string, options?: { replace?: boolean }) => void {
  const { history } = useRouter();
  return (href, options) => (options?.replace ? history.replace(href) : history.push(href));
}
