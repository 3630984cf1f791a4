import type { CaptchaOptions } from '@darkroom/server/panel-contract';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { language } from '../../languages/language.ts';
import { Notice } from '../../ui/notice.tsx';

export type VendorKind = Exclude<CaptchaOptions['kind'], 'altcha'>;

/** The functions of both vendors' scripts. hCaptcha uses the same names as Turnstile. */
interface Widgets {
  render(
    place: HTMLElement,
    options: {
      sitekey: string;
      /** hCaptcha has no `auto` theme. */
      theme: 'light' | 'dark';
      /** Turnstile's language; hCaptcha's is in its script's URL. */
      language: string;
      size: string;
      callback: (token: string) => void;
      'expired-callback': () => void;
      'error-callback': () => void;
    },
  ): string;
  remove(widget: string): void;
}

/** The vendors' names for the panel's languages. */
const spoken = { en: 'en', de: 'de', zh: 'zh-CN', long: 'en' }[language];

const vendors = {
  turnstile: {
    name: 'Turnstile',
    host: 'challenges.cloudflare.com',
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
    // The flexible widget fills the available width, but needs at least 300 px.
    sizeFor: (width: number) => (width < 300 ? 'compact' : 'flexible'),
  },
  hcaptcha: {
    name: 'hCaptcha',
    host: 'hcaptcha.com',
    script: `https://js.hcaptcha.com/1/api.js?render=explicit&recaptchacompat=off&hl=${spoken}`,
    sizeFor: (width: number) => (width < 303 ? 'compact' : 'normal'),
  },
} as const;
const patienceMs = 20_000;

/** Calls `onToken` with null when the token has expired. */
export function VendorCaptcha(props: {
  kind: VendorKind;
  siteKey: string;
  onToken: (token: string | null) => void;
}) {
  const { kind, siteKey, onToken } = props;
  const { name, host } = vendors[kind];
  const theme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const place = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let gone = false;
    let remove = () => {};
    const tell = (token: string | null) => !gone && onToken(token);
    const fail = () => {
      tell(null);
      setFailed(true);
    };
    loadWidgets(kind).then((widgets) => {
      if (gone || !place.current) return;
      const widget = widgets.render(place.current, {
        sitekey: siteKey,
        theme,
        language: spoken,
        size: vendors[kind].sizeFor(place.current.clientWidth),
        callback: (token) => {
          setFailed(false);
          tell(token);
        },
        'expired-callback': () => tell(null),
        'error-callback': fail,
      });
      remove = () => widgets.remove(widget);
    }, fail);
    return () => {
      gone = true;
      remove();
    };
  }, [kind, siteKey, theme, onToken]);
  return (
    <div>
      <div ref={place} />
      {failed && (
        <Notice tone="bad" title="The check that you are human did not load" alert>
          <p>
            {name} makes it. If this browser, an extension or your network blocks {host}, allow it for this
            page, then <a href={location.pathname}>load the page again</a>.
          </p>
        </Notice>
      )}
    </div>
  );
}

function loadWidgets(kind: VendorKind): Promise<Widgets> {
  const there = () => (window as unknown as Partial<Record<VendorKind, Widgets>>)[kind]; // the name under which the script installs itself
  return new Promise((resolve, reject) => {
    const found = there();
    if (found) return resolve(found);
    const script = document.createElement('script');
    const late = setTimeout(reject, patienceMs);
    script.src = vendors[kind].script;
    script.onload = () => {
      clearTimeout(late);
      const loaded = there();
      if (loaded) resolve(loaded);
      else reject();
    };
    script.onerror = () => {
      clearTimeout(late);
      reject();
    };
    document.head.append(script);
  });
}
