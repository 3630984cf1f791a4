import type { Language } from '../../accounts/people/language.ts';
import type { Brand } from '../../base/brand/brand.ts';
import { type Html, html } from '../../base/std/markup/html.ts';
import { type Say, sayIn } from './say.ts';

export interface EmailContent {
  subject: string;
  said: readonly string[];
  facts?: readonly (readonly [name: string, value: string])[];
  /** Text to copy exactly. */
  code?: string;
  /** The one action that the email requests. */
  action?: Action;
  /** A second URL, without a button. */
  also?: Action;
  notes?: readonly string[];
  /** Why the reader received the email. */
  why: string;
  unsubscribeUrl?: string;
  /** The reader's language; English by default. */
  language?: Language;
}

interface Action {
  label: string;
  url: string;
}

export interface Email {
  subject: string;
  text: string;
  html: string;
}

export function writeEmail(content: EmailContent, brand: Brand): Email {
  const subject = oneLine(content.subject);
  return { subject, text: textOf(content, brand), html: htmlOf({ ...content, subject }, brand) };
}

/** Removes line breaks from people's names, because a line break in a subject would begin a header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

function textOf(
  { said, facts = [], code, action, also, notes = [], ...content }: EmailContent,
  brand: Brand,
) {
  const rows = facts.map(([name, value]) => `${name}: ${value}`).join('\n');
  return [
    ...said,
    ...(rows ? [rows] : []),
    ...(code === undefined ? [] : [code]),
    ...[action, also].flatMap((one) => (one ? [`${one.label}:\n${one.url}`] : [])),
    ...notes,
    content.why,
    ...linksOf(content, brand).map(([label, url]) => `${label}: ${url.replace(/^mailto:/, '')}`),
  ].join('\n\n');
}

function linksOf(
  { unsubscribeUrl, language = 'en' }: Pick<EmailContent, 'unsubscribeUrl' | 'language'>,
  { support, termsUrl, privacyUrl }: Brand,
): [label: string, url: string][] {
  const say = sayIn(language);
  const links: [string, string | null | undefined][] = [
    [say('Help'), support && `mailto:${support}`],
    [say('Terms'), termsUrl],
    [say('Privacy'), privacyUrl],
    [say('Unsubscribe'), unsubscribeUrl],
  ];
  return links.flatMap(([label, url]) => (url ? [[label, url]] : []));
}

/**
 * Tables and cell attributes are for Outlook, which supports no other layout. Inline styles are for programs that drop
 * the style sheet, as Gmail does when it reads another provider's mailbox. The style sheet is for dark mode and small
 * screens.
 */
function htmlOf(content: EmailContent, brand: Brand): string {
  const { subject, said, action, also, why } = content;
  const links = linksOf(content, brand).map(
    ([label, url]) => html`<a class="soft" href="${url}" style="color:#665d55">${label}</a>`,
  );
  const { text } = html`<html lang="${content.language ?? 'en'}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${sheet(brand)}</style>
</head>
<body class="page" bgcolor="#f4f1ec" style="margin:0;padding:0;background-color:#f4f1ec">
<div style="display:none;max-height:0;overflow:hidden">${said[0]}</div>
<table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#f4f1ec">
<tr><td class="around" align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px">
<tr><td class="ink" style="padding:0 0 16px;${font};font-size:16px;font-weight:600;color:#211d1a">${logoPart(brand)}${brand.name}</td></tr>
<tr><td class="card" bgcolor="#fffefc" style="padding:32px 32px 16px;border:1px solid #e8e2d9;border-radius:8px;background-color:#fffefc">
<h1 class="ink" style="margin:0 0 20px;${font};font-size:22px;line-height:1.3;font-weight:600;color:#211d1a">${subject}</h1>
${said.map(paragraph)}${factsPart(content)}${codePart(content)}${action && buttonPart(action, brand, sayIn(content.language ?? 'en'))}${also && linkPart(also)}${(content.notes ?? []).map(paragraph)}</td></tr>
<tr><td class="soft" style="padding:20px 0 0;${font};font-size:13px;line-height:1.5;color:#665d55">${why}${links.length > 0 && html`<br>${links.map((link, index) => html`${index > 0 && ' · '}${link}`)}`}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
  return `<!doctype html>\n${text}`;
}

/** The logo is attached, because mail programs do not load remote images unless readers agree. */
function logoPart({ logo }: Brand): Html | null {
  if (!logo) return null;
  const { width, height, unseenOn } = logo;
  const plate = unseenOn === 'light' && 'padding:4px;border-radius:4px;background-color:#141110;';
  return html`<img class="${unseenOn === 'dark' && 'plate'}" src="cid:${logoId}" width="${width}" height="${height}" alt="" style="${plate}vertical-align:middle;margin-right:12px;border:0">`;
}

export const logoId = 'logo';

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif";
const prose = `${font};font-size:16px;line-height:1.5;color:#211d1a;word-break:break-word;overflow-wrap:anywhere`;

function paragraph(text: string): Html {
  return html`<p class="ink" style="margin:0 0 16px;${prose}">${text}</p>
`;
}

function factsPart({ facts = [] }: EmailContent): Html | false {
  if (facts.length === 0) return false;
  return html`<table class="line" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 20px;border-top:1px solid #e8e2d9">
${facts.map(
  ([
    name,
    value,
  ]) => html`<tr><td class="line soft" valign="top" style="padding:8px 16px 8px 0;border-bottom:1px solid #e8e2d9;${font};font-size:14px;line-height:1.5;color:#665d55">${name}</td><td class="line ink" valign="top" align="right" style="padding:8px 0;border-bottom:1px solid #e8e2d9;${prose};font-size:14px">${value}</td></tr>
`,
)}</table>
`;
}

function codePart({ code }: EmailContent): Html | false {
  if (code === undefined) return false;
  return html`<pre class="sunken ink" style="margin:0 0 20px;padding:12px 16px;border-radius:6px;background-color:#f4f1ec;color:#211d1a;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px;line-height:1.5;white-space:pre-wrap;word-break:break-word;overflow-wrap:anywhere">${code}</pre>
`;
}

/** Shows the URL too, for people who check it first, and for programs that show no buttons. */
function buttonPart({ label, url }: Action, { accent: { light } }: Brand, say: Say): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0 12px"><tr><td class="fill" bgcolor="${light.fill}" style="border-radius:6px;background-color:${light.fill}"><a class="fill" href="${url}" style="display:inline-block;padding:12px 20px;border-radius:6px;${font};font-size:16px;line-height:1.25;font-weight:600;text-decoration:none;color:${light.text};background-color:${light.fill}">${label}</a></td></tr></table>
<p class="soft" style="margin:0 0 16px;${prose};font-size:13px;color:#665d55">${say('Or open')} <a class="soft" href="${url}" style="color:#665d55">${url}</a></p>
`;
}

function linkPart({ label, url }: Action): Html {
  return html`<p style="margin:0 0 16px;${prose}"><a class="ink" href="${url}" style="color:#211d1a">${label}</a></p>
`;
}

function sheet({ accent: { dark } }: Brand): Html {
  return html`
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (max-width: 480px) { .around { padding: 20px 12px !important; } .card { padding: 24px 20px 8px !important; } }
@media (prefers-color-scheme: dark) {
.page { background-color: #141110 !important; }
.card { background-color: #1a1615 !important; border-color: #2d2724 !important; }
.sunken { background-color: #211c1a !important; }
.line { border-color: #2d2724 !important; }
.ink { color: #ece6df !important; }
.soft { color: #a99f96 !important; }
.plate { padding: 4px !important; border-radius: 4px; background-color: #fffefc !important; }
.fill { background-color: ${dark.fill} !important; color: ${dark.text} !important; }
}
`;
}
