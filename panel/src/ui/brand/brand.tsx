import type { ShownBrand } from '@darkroom/server/panel-contract';

const own: ShownBrand = {
  name: 'Darkroom',
  logo: null,
  support_email: null,
  terms_url: null,
  privacy_url: null,
};

/** The server wrote the brand into the page. */
export const brand: ShownBrand = readBrand();

function readBrand(): ShownBrand {
  const written = document.querySelector<HTMLMetaElement>('meta[name="brand"]')?.content;
  return written === undefined ? own : (JSON.parse(written) as ShownBrand); // in the form that the server writes
}

/** The installation's logo, or the product's icon. `height` is the largest height. */
export function Logo({ height }: { height: number }) {
  const { logo } = brand;
  if (!logo) return <img src="/icon.svg" alt="" width={height} height={height} />;
  const scale = Math.min(1, height / logo.height);
  return (
    <img
      src={logo.url}
      alt=""
      width={Math.round(logo.width * scale)}
      height={Math.round(logo.height * scale)}
      {...(logo.unseen_on && { className: `unseen-on-${logo.unseen_on}` })}
    />
  );
}

export function BrandLinks() {
  const { support_email: support, terms_url: terms, privacy_url: privacy } = brand;
  if (!support && !terms && !privacy) return null;
  return (
    <p className="soft small row">
      {support && <a href={`mailto:${support}`}>Help</a>}
      {terms && <a href={terms}>Terms</a>}
      {privacy && <a href={privacy}>Privacy</a>}
    </p>
  );
}
