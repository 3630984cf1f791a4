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

/** The topics before the list of calls; the navigation lists them too. */
export const guide: readonly { id: string; title: string; text: Html; aside?: Html }[] = [
  {
    id: 'authentication',
    title: 'Authentication',
    text: prose(`Send an API key with every request, in the header \`Authorization: Bearer dk_…\`. A key in the URL is never read.
A key can be limited to some of the models and can expire; create and disable keys in the panel or on the command line.

On the machine of the server the command line works at once: the first start made a demo account with credit and left
its key in \`client.json\` in the data folder.`),
    aside: exampleTabs('example-setup', setup),
  },
  {
    id: 'browsers',
    title: 'Browsers',
    text: prose(`A web page must not hold an API key. Your server makes a client token with its key, for a few minutes, some models, a spend cap and
the origin of the page, and hands it to the page, which sends it where a key would go. It can create jobs, read the jobs that it
created and upload images; everything else answers \`token_forbidden\`. It ends with its key.

The operator lists the origins of such pages in \`DARKROOM_CORS_ORIGINS\`; others cannot read the answers.`),
    aside: codeBlock(
      `curl "$DARKROOM_URL/api/v1/client-tokens" \\
  -H "Authorization: Bearer $DARKROOM_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"expires_in": 600, "models": ["nb2"], "spend_cap": "0.50", "origin": "https://app.example.com"}'`,
      'Make a client token',
    ),
  },
  {
    id: 'polling',
    title: 'Jobs and polling',
    text: html`${prose(`A create call answers \`202\` as soon as the job is stored, and it is never lost after that. Read the job until its
\`status\` is \`done\` or \`failed\`; those two are final.`)}
<p class="states" aria-label="queued, then processing, then done or failed"><code>queued</code> → <code>processing</code> → <code>done</code> or <code>failed</code></p>
${prose(`With \`Prefer: wait=30\` the answer is held back until the job has ended or 30 seconds are over, whichever comes first; ${maxWaitSeconds} is the
most. Without it, poll at most once a second. With \`Accept: text/event-stream\` the answer is a stream: a server-sent event
named \`job\` at once and at every change of the status, the last when the job has ended. Every answer carries an \`image_url\` that works for at least ${minLifetimeMs / 3_600_000} hours without
an API key, so take the link from the latest answer.

A job that fails is not an HTTP error: the read answers \`200\` with \`error\`, a sentence, and \`error_code\`:`)}
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
    text: prose(`An endpoint that takes images takes URLs: of images on the internet, of results of earlier jobs, and of uploads. \`POST /uploads\` keeps an image of yours
for a day and answers its \`url\`, which only jobs of your account can use. A job has a copy of its inputs, so an upload
can be deleted once the job is created. The SDK and the command line upload local images, and delete the uploads.`),
  },
  {
    id: 'idempotency',
    title: 'Idempotency',
    text: prose(`Send a fresh \`Idempotency-Key\` with every new request, a UUID for instance, and the same one when you send that request
again because no answer came. The same key with the same body gives the original answer with \`Idempotent-Replayed: true\`: one
job, charged once, even if the account has run out of funds since. The order of fields and white space do not matter.

A key belongs to the account and is kept for at least 30 days. With another body or endpoint it is refused with
\`idempotency_key_reused\`. A refused request does not use up its key. The SDK and the command line do all this
for you.`),
  },
  {
    id: 'money',
    title: 'Money',
    text: prose(`The price of a job is fixed and reserved when it is created. When a job is \`done\` it is captured, when a job has \`failed\` it is released
in full, each exactly once. \`available\` is \`balance\` minus \`reserved\`. Amounts are decimal strings with two to six places,
never floating-point numbers. Read the prices of this installation from \`GET /models\`.`),
  },
  {
    id: 'webhooks',
    title: 'Webhooks',
    text: prose(`When a job ends, \`job.done\` or \`job.failed\` is posted to the request's \`callback_url\`, otherwise to the endpoints of the account. The body is
\`{"type", "timestamp", "data"}\` with the job as \`data\`, signed as Standard Webhooks 1.0 describes: check \`webhook-signature\`
before you trust it.

Answer 2xx within 15 seconds. Anything else is retried, ten times over three days. An event may come more than once, always
with the same \`webhook-id\`.`),
  },
  {
    id: 'errors',
    title: 'Errors',
    text: html`${prose(`Every failure is a problem document (RFC 9457) of type \`application/problem+json\`. \`detail\` says what happened in a sentence, \`code\`
is one of a closed list for programs, \`type\` leads to its page here, and \`errors\` names each wrong field with a JSON pointer.
What is refused creates and costs nothing.

Time alone resolves 429, 502, 503, the 504 of a proxy, 409 with \`idempotency_key_in_use\`, and connections that break: send the same
request again, after \`Retry-After\` where the answer has one, and with the same \`Idempotency-Key\`. The SDK and the command line
do this by themselves. Everything else needs a change first, 408 a faster connection. 500 is a defect of the service: with
the same key it is safe to try again, but tell the operator.

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
    policy_refused: 'The image was made, and the policy of the service refuses it.',
    no_image: 'The model answered without an image.',
    invalid_input: 'The model cannot use this prompt or these inputs.',
    provider_unavailable: 'The image model did not answer, and no retry helped.',
    provider_rejected: 'The image model refused the request.',
    timed_out: 'It took too long, waiting or working.',
    deadline_exceeded: 'It missed the `deadline` of the request.',
    interrupted: 'It was started several times and never finished.',
    cancelled: 'It was cancelled, before it started or while it was running.',
    internal: 'Something went wrong here.',
  };
}

function limits(): [string, string][] {
  return [
    ['Prompt', `1 to ${groupDigits(maxPromptLength)} characters`],
    [
      'Body',
      `at most ${maxBodyBytes / 1024} KiB of JSON, ${maxDepth} levels deep, with at most ${maxValues} fields and entries; in a create an escape (a backslash, u and four digits) counts as one`,
    ],
    [
      'Input images',
      `1 to ${maxInputs} URLs, at most 40 MB (${groupDigits(fetchLimits.totalBytes)} bytes) together`,
    ],
    [
      'Uploads',
      `at most 40 MB each; an account keeps ${groupDigits(uploadLimits.count)} with ${groupDigits(uploadLimits.bytes)} bytes as stored, each for a day`,
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
    ['Image link', `valid for ${minLifetimeMs / 3_600_000} hours at least`],
    ['Jobs and images', 'kept for 30 days by default'],
    [
      'Requests',
      'no limit unless the operator set one; `RateLimit` then says what is left, and 429 that nothing is',
    ],
  ];
}
