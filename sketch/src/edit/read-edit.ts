import { namedColours } from '../colour.ts';
import { maxReadLength, quoted } from '../scene/read-scene.ts';
import type { Edit, Layout } from './edit.ts';

/** Reads the edits that a prompt requests. Pure; ignores words it does not know. */
export function readEdit(prompt: string): Edit {
  const start = prompt.slice(0, maxReadLength);
  const caption = quoted(start);
  const text = (caption ? start.replace(caption, ' ') : start).toLowerCase();
  const says = (pattern: RegExp) => pattern.test(text);
  const frame = says(/\b(border|frame|framed|passe-?partout)\b/);
  const gray = says(/\b(gr[ae]y-?scale|black[ -]and[ -]white|b&w|monochrome|desaturate|noir)\b/);
  const mirror = says(/\b(mirror(ed)?|flop|flip(ped)? horizontal(ly)?)\b/);
  const colour = Object.keys(namedColours).find((name) => new RegExp(`\\b${name}\\b`).test(text));
  const named = colour ? namedColours[colour] : undefined;
  const tinted = says(
    /\b(tint(ed)?|tone[ds]?|duotone|colou?ri[sz]e|wash|recolou?r|filter|make it|turn it)\b/,
  );
  return {
    layout: layoutOf(says),
    rotate: rotation(text),
    flip: says(/\b(flip(ped)?|upside[ -]down)\b/) && !mirror,
    mirror,
    gray,
    sepia: says(/\b(sepia|vintage|old photo|antique)\b/),
    invert: says(/\b(invert(ed)?|negative)\b/),
    sharpen: says(/\b(sharpen(ed)?|sharper|crisp(er)?)\b/),
    pixelate: says(/\b(pixelate[ds]?|pixel art|8-?bit|mosaic)\b/),
    blur: says(/\b(blur(red|ry)?|out of focus|soften)\b/),
    night: says(/\b(night|midnight|moonlit)\b/),
    brightness: says(/\b(brighter|brighten|lighter|lighten)\b/)
      ? 1.28
      : says(/\b(darker|darken|dim)\b/)
        ? 0.62
        : 1,
    saturation: says(/\b(vivid|vibrant|saturated?|colou?rful|pop)\b/)
      ? 1.5
      : says(/\b(muted|faded|pastel)\b/)
        ? 0.6
        : 1,
    tint: tinted && !frame && !gray ? named : undefined,
    frame: frame ? (named ?? '#f6f1e6') : undefined,
    caption,
  };
}

function layoutOf(says: (pattern: RegExp) => boolean): Layout {
  if (says(/\bpolaroids?\b|\bsnapshots?\b|\bscrapbook\b/)) return 'polaroids';
  if (says(/\bside[ -]by[ -]side\b|\bin a row\b|\btriptych\b|\bdiptych\b|\bnext to\b/)) return 'row';
  if (says(/\bstack(ed)?\b|\bcolumn\b|\babove\b|\bon top of\b/)) return 'column';
  if (says(/\bgrid\b|\bcontact sheet\b/)) return 'grid';
  return 'auto';
}

function rotation(text: string): number {
  const found = /\b(rotate[ds]?|turn(?:ed)?)\b[^.\d-]{0,40}(-?\d{1,3})/.exec(text);
  if (found) return /counter|anti/.test(text) ? -Number(found[2]) : Number(found[2]);
  return /\brotate[ds]?\b/.test(text) ? (/\bleft\b|counter|anti/.test(text) ? -90 : 90) : 0;
}
