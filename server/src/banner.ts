import type { App } from './app.ts';
import type { Config } from './config.ts';

/** What a person reads after `npm start`. A key stands here once in the life of an installation. */
export function banner({ role }: Config, { url, demo }: App): string {
  if (url === null) return `\n  Darkroom ${role} is running.\n\n`;
  const lines = ['', '  Darkroom is ready.', '', `  API        ${url}/api/v1`, `  Reference  ${url}/docs`];
  if (demo?.key) lines.push(...firstStart(url, demo.key, demo.file));
  else if (demo?.hint) lines.push(`  Key        ${demo.hint}, in ${demo.file}`);
  lines.push(
    '',
    '  npx darkroom generate "a lighthouse at dusk"   makes an image from another terminal',
    '',
    '',
  );
  return lines.join('\n');
}

function firstStart(url: string, key: string, file: string): string[] {
  return [
    `  Key        ${key}`,
    `             of the account "demo", with 100.00 credit; shown only now, kept in ${file}`,
    '',
    '  Try it:',
    '',
    `  curl -sS ${url}/api/v1/nb2/text-generations \\`,
    `    -H 'Authorization: Bearer ${key}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"prompt": "a lighthouse at dusk", "aspect_ratio": "16:9"}'`,
  ];
}
