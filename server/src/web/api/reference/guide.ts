import { maxUrlLength } from '../../../base/guard/check-url.ts';
import { maxBodyBytes, maxDepth, maxValues } from '../../../base/http/json-body.ts';
import { maxKeyLength, maxWaitSeconds } from '../../../base/http/request-headers.ts';
import { groupDigits } from '../../../base/std/group-digits.ts';
import { type Html, html, inline, prose } from '../../../base/std/markup/html.ts';
import { minLifetimeMs } from '../../../images/image-links.ts';
import { fetchLimits, maxInputs } from '../../../images/inputs/limits.ts';
import { uploadLimits } from '../../../images/uploads/limits.ts';
import type { JobErrorCode } from '../../../jobs/job.ts';
import { maxTargetLength } from '../../../notify/webhooks/webhook-target.ts';
import { maxPromptLength } from '../../../upstream/catalog/models.ts';
import { codeBlock, exampleTabs } from './code.ts';
import { setup } from './examples.ts';

export const guide: readonly { id: string; title: string; text: Html; aside?: Html }[] = [
  {
    id: 'authentication',
    title: 'Authentication',
    text: prose(`Send an API key with every request, in the header \`Authorization: Bearer dk_…\`. A key in the URL is never read.
A key can be limited to certain models and can expire. Create and disable keys in the panel or on the command line.

On the server's machine, the command line works at once: the first start created a demo account with credit and stored
its key in \`client.json\` in the data folder.`),
    aside: exampleTabs('example-setup', setup),
  },
  {
    id: 'browsers',
    title: 'Browsers',
    text: prose(`A web page must not have an API key. Your server creates a client token with its key, valid for a few minutes, certain models, a spend
cap and the page's origin. The page sends the token in place of a key. It can create jobs, read the jobs that it created and upload
images; everything else is refused with \`token_forbidden\`. The token ends with its key.

The operator lists the origins of these pages in \`DARKROOM_CORS_ORIGINS\`. Pages of other origins cannot read the answers.`),
    aside: codeBlock(
      `curl "$DARKROOM_URL/api/v1/client-tokens" \\
  -H "Authorization: Bearer $DARKROOM_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"expires_in": 600, "models": ["nb2"], "spend_cap": "0.50", "origin": "https://app.example.com"}'`,
      'Create a client token',
    ),
  },
  {
    id: 'polling',
    title: 'Jobs and polling',
    text: html`${prose(`A create is answered with \`202\` as soon as the job is stored. After that, the job is never lost. Read the job until its
\`status\` is \`done\` or \`failed\`; these two are final.`)}
<p class="states" aria-label="queued, then processing, then done or failed"><code>queued</code> → <code>processing</code> → <code>done</code> or <code>failed</code></p>
${prose(`With \`Prefer: wait=30\` the answer comes when the job has ended or after 30 seconds, whichever is first; the maximum is ${maxWaitSeconds}.
Without it, poll at most once per second. With \`Accept: text/event-stream\` the answer is a stream of server-sent events
named \`job\`: one at once, one at every change of the status, and the last when the job has ended. Every answer about a job that is done has an \`image_url\` that works for at least ${minLifetimeMs / 3_600_000} hours without
an API key, so take the link from the latest answer.

A failed job is not an HTTP error: the answer is \`200\` with \`error\`, which is a sentence, and \`error_code\`:`)}
<dl class="pairs">${Object.entries(failures()).map(([code, meaning]) => html`<div><dt><code>${code}</code></dt><dd>${meaning}</dd></div>`)}</dl>`,
    aside: html`${codeBlock(
      `curl "$DARKROOM_URL/api/v1/jobs/$JOB_ID" \\
  -H "Authorization: Bearer $DARKROOM_API_KEY" \\
  -H "Prefer: wait=30"`,
      'Wait up to 30 seconds',
    )}
${codeBlock(
  `curl -N "$DARKROOM_URL/api/v1/jobs/$JOB_ID" \\
  -H "Authorization: Bearer $DARKROOM_API_KEY" \\
  -H "Accept: text/event-stream"`,
  'Follow the job to its end',
)}`,
  },
  {
    id: 'inputs',
    title: 'Input images',
    text: prose(`Calls that take images take URLs of images on the internet, of earlier jobs' results, and of uploads. \`POST /uploads\` stores an image
for a day and returns its \`url\`, which only jobs of your account can use. A job has a copy of its inputs, so an upload
can be deleted once the job is created. The SDK and the command line upload local images, and delete the uploads.`),
  },
  {
    id: 'idempotency',
    title: 'Idempotency',
    text: prose(`Send a fresh \`Idempotency-Key\`, such as a UUID, with every new request. If no answer comes, send the request again with
the same key. The same key with the same body returns the original answer with \`Idempotent-Replayed: true\`: one
job, charged once, even if the account has run out of funds since. The order of fields and white space do not matter.

A key belongs to the account and is kept for at least 30 days. With another body or path, the request is refused with
\`idempotency_key_reused\`. A refused request does not use up its key. The SDK and the command line do all this
for you.`),
  },
  {
    id: 'money',
    title: 'Money',
    text: prose(`The price of a job is fixed and reserved when it is created. If the job is \`done\`, the price is captured; if the job has \`failed\`, the price is released
in full. Each happens exactly once. \`available\` is \`balance\` minus \`reserved\`. Amounts are decimal strings with two to six places,
never floating-point numbers. Read the prices of this installation from \`GET /models\`.`),
  },
  {
    id: 'webhooks',
    title: 'Webhooks',
    text: prose(`When a job ends, \`job.done\` or \`job.failed\` is posted to the request's \`callback_url\` or, without one, to the account's endpoints. The body is
\`{"type", "timestamp", "data"}\` with the job as \`data\`, signed as Standard Webhooks 1.0 describes: check \`webhook-signature\`
before you trust it.

Answer 2xx within 15 seconds. Anything else is retried, ten times over three days. An event may arrive more than once, always
with the same \`webhook-id\`.`),
  },
  {
    id: 'errors',
    title: 'Errors',
    text: html`${prose(`Every failure is a problem document (RFC 9457) of type \`application/problem+json\`. \`detail\` says what happened in a sentence, \`code\`
is one of a closed list for programs, \`type\` leads to its page here, and \`errors\` names each wrong field with a JSON pointer.
A refused request creates nothing and costs nothing.

After 429, 502, 503, a proxy's 504, 409 with \`idempotency_key_in_use\`, and a broken connection, send the same request again with the
same \`Idempotency-Key\`, after \`Retry-After\` if the answer has it. The SDK and the command line do this automatically. After 408,
use a faster connection. After 500, which is a defect of the service, a retry with the same key is safe, but tell the operator. All
other errors need a change of the request first.

Every answer carries \`X-Request-Id\`: quote it when you contact the operator.`)}
<p><a href="/docs/errors">All error codes</a></p>`,
  },
  {
    id: 'limits',
    title: 'Limits',
    text: html`<dl class="pairs">${limits().map(([what, limit]) => html`<div><dt>${what}</dt><dd>${inline(limit)}</dd></div>`)}</dl>`,
  },
];

function failures(): Record<JobErrorCode, string> {
  return {
    safety_blocked: 'The model refused the prompt or an input for safety reasons.',
    policy_refused: 'The image was made, but the policy of the service refuses it.',
    no_image: 'The model answered without an image.',
    invalid_input: 'The model cannot use this prompt or these inputs.',
    provider_unavailable: 'The image model did not answer, and no retry helped.',
    provider_rejected: 'The image model refused the request.',
    timed_out: 'The job took too long, waiting or running.',
    deadline_exceeded: 'The job missed the `deadline` of the request.',
    interrupted: 'The job was started several times and never finished.',
    cancelled: 'The job was cancelled, before it started or while it was running.',
    internal: 'Something went wrong here.',
  };
}

function limits(): [string, string][] {
  return [
    ['Prompt', `1 to ${groupDigits(maxPromptLength)} characters`],
    [
      'Body',
      `at most ${maxBodyBytes / 1024} KiB of JSON, ${maxDepth} levels deep, with at most ${maxValues} fields and entries; in a create, an escape (a backslash, u and four digits) counts as one byte`,
    ],
    [
      'Input images',
      `1 to ${maxInputs} URLs, at most 40 MB (${groupDigits(fetchLimits.totalBytes)} bytes) together`,
    ],
    [
      'Uploads',
      `at most 40 MB each; an account can store ${groupDigits(uploadLimits.count)} uploads with ${groupDigits(uploadLimits.bytes)} bytes in total, each for a day`,
    ],
    [
      'Input URL',
      `at most ${groupDigits(maxUrlLength)} characters, \`http\` or \`https\`, to the public internet`,
    ],
    [
      'callback_url',
      `at most ${groupDigits(maxTargetLength)} characters, \`http\` or \`https\`, to the public internet`,
    ],
    ['Idempotency-Key', `1 to ${maxKeyLength} visible ASCII characters`],
    ['Prefer: wait', `at most ${maxWaitSeconds} seconds`],
    ['Image link', `valid for at least ${minLifetimeMs / 3_600_000} hours`],
    ['Jobs and images', 'kept for 30 days by default'],
    [
      'Requests',
      'no limit unless the operator has set one; `RateLimit` then shows what is left, and 429 means that nothing is',
    ],
  ];
}
