import { version } from '../../../version.ts';
import type { Reference } from './document.ts';
import { guide } from './guide.ts';

/** Writes `llms.txt` (https://llmstxt.org). `documents` is a list of links to the pages, as Markdown. */
export function llmsText(
  { title, description, basePath, tags }: Reference,
  publicUrl: string,
  documents: string,
): string {
  return `# ${title}

> A self-hosted service that makes images: post a prompt, get a job, fetch the image. Version ${version}.

${description}

Address of the API: ${publicUrl}${basePath}. Every request carries \`Authorization: Bearer dk_…\`, a key that a person makes in the panel at
${publicUrl}. Make an image in two requests: create a job, then read it with \`Prefer: wait=30\` until \`status\` is \`done\` or \`failed\`.

    curl ${publicUrl}${basePath}/nb2/text-generations -H "Authorization: Bearer $DARKROOM_API_KEY" \\
      -H "Idempotency-Key: $(uuidgen)" -H "Content-Type: application/json" -d '{"prompt": "a red fox", "aspect_ratio": "4:3"}'
    curl ${publicUrl}${basePath}/jobs/$JOB_ID -H "Authorization: Bearer $DARKROOM_API_KEY" -H "Prefer: wait=30"

## Reference

- [OpenAPI 3.1](${publicUrl}${basePath}/openapi.json): every call, field and error
- [Reference](${publicUrl}/docs/reference): the same for people, with examples in several languages
${guide.map((topic) => `- [${topic.title}](${publicUrl}/docs/reference#${topic.id})`).join('\n')}
- [Error codes](${publicUrl}/docs/errors)
- [Administration](${publicUrl}/admin/v1/openapi.json): accounts, credits, keys and models, for operators with an admin key

## Documentation

All of it in one file: ${publicUrl}/llms-full.txt

${documents}

## Packages

No package of this service is in a public registry: packages with its name there belong to others. Install those of this server, which have its version.

- [SDK](${publicUrl}/sdk.tgz): \`npm install ${publicUrl}/sdk.tgz\`, then \`import { Darkroom } from '@darkroom/sdk'\`
- [Command line](${publicUrl}/cli.tgz): \`npm install -g ${publicUrl}/cli.tgz\`, then \`darkroom generate "a red fox"\` with DARKROOM_URL and
  DARKROOM_API_KEY set

## Calls

${tags.flatMap(({ operations }) => operations.map((one) => `- [${one.method} ${one.path}](${publicUrl}/docs/reference#${one.id}): ${one.summary}`)).join('\n')}

## APIs of other vendors, if the operator has them on

- OpenAI's Images API at ${publicUrl}/v1, Gemini's generateContent at ${publicUrl}/v1beta: address and key changed, nothing else
- The Model Context Protocol at ${publicUrl}/mcp, with a key or by signing in
`;
}
