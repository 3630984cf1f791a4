export function readEmail(content: string): { headers: string; text: string; html: string } {
  const [head = '', ...rest] = content.split('\n\n');
  const headers = head
    .replaceAll(/\n[ \t]+/g, ' ')
    .replaceAll('?= =?UTF-8?Q?', '')
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, words: string) => unquote(words.replaceAll('_', ' ')));
  const parts = rest
    .join('\n\n')
    .split(/^--\S+$/m)
    .map((part) => part.trimStart());
  return { headers, text: bodyOf(parts, 'text/plain'), html: bodyOf(parts, 'text/html') };
}

function bodyOf(parts: readonly string[], type: string): string {
  const part = parts.find((one) => one.startsWith(`Content-Type: ${type}`));
  if (part === undefined) throw new Error(`the email has no ${type}`);
  const [head = '', ...rest] = part.split('\n\n');
  const body = rest.join('\n\n');
  if (head.includes('base64')) return Buffer.from(body, 'base64').toString();
  if (!head.includes('quoted-printable')) return body;
  return unquote(body.replaceAll('=\n', ''));
}

function unquote(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
