/** The attributes of elements, and the properties of components, whose text people see. */
export const visibleAttributes: ReadonlySet<string> = new Set([
  'title',
  'label',
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'aria-valuetext',
  'action',
  'placeholder',
  'description',
  'hint',
  'caption',
  'intro',
  'alt',
  'any',
  'none',
  'tooLong',
  'legend',
  'about',
  'button',
  'why',
  'text',
  'first',
  'heading',
  'name',
  'what',
  'error',
  'children',
]);

export const neverWords = {
  attributes: new Set([
    'className',
    'aria-keyshortcuts',
    'style',
    'href',
    'sizes',
    'd',
    'rel',
    'autoComplete',
    'accept',
    'call',
    'value',
    'key',
    'id',
  ]),
  calls: new Set(['matchMedia', 'useRead', 'read', 'send', 'useSend', 'linkOf', 'once']),
};

export function hasWords(text: string): boolean {
  return /\p{L}{2}/u.test(text) && !/^\W*(https?:\/\/\S*|[#/.@]\S*|\S+@\S+)\W*$/.test(text.trim());
}

/** Whether a text is for people, not a name in code: it begins with a capital letter or has several words. */
export function isSentence(text: string): boolean {
  const isOne = /^\P{L}*\p{Lu}/u.test(text) || /[\p{L}\d][,:;.…]? \p{L}{2}|\p{L}[,:;.…]? \p{L}/u.test(text);
  return hasWords(text) && isOne && !neverSentences.test(text.trim());
}

/** Like `isSentence`, for a template whose values are written as `…`. */
export function isPhrase(text: string): boolean {
  const isOne = /(^|[ …])\p{L}{2,} ?…|… ?\p{L}{2,}([ …,;.]|$)/u.test(text) && / /.test(text);
  return isSentence(text) || (isOne && !neverSentences.test(text.trim()));
}

/** Matches texts that look like sentences but are not: API calls, keyboard keys, code, styles and product names. */
const neverSentences = new RegExp(
  [
    /^(GET|POST|PUT|PATCH|DELETE) \//,
    /^(Ctrl |Control\+|Arrow|Page)[A-Z]|^(Enter|Escape|Backspace|Tab|Shift|Control|Meta|UTC)$/,
    /^[A-Z][A-Z\d_-]+([$=][\s\S]*)?$|^[A-Z]?[a-z]+([A-Z][a-z]+)+$/,
    /^(curl|Bearer) |^\(prefers-|^not all$|^(1px|color-mix\()|^… … UTC$|\[role=/,
    /^(Darkroom|WebP|PNG|JPEG|HTML|JSON|Firefox|Edge?|Chrome|Safari|Opera|Android|Windows|Mac OS|Linux|Turnstile)$/,
    /^(batch quote|input preview|opened link|asking program|change an album|an image)$/,
    // The type of dragged files.
    /^Files$/,
    // Keys of list items, and values with a unit.
    /^(provider|connection|account|page|action|job) …|^… (account|kB|MB)$|^…px/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** Files to skip: translations, fonts, code samples, and code that runs before the translations are loaded. */
export const filesWithoutWords =
  /src\/main\.tsx|code-samples\.ts|receiver-sample\.ts|src\/theme\.ts|src\/languages\//;
