// Sends a call, and shows its answer with its image beside it: for the samples that run, and for calls that readers try.
const ended = ['done', 'failed'];

/** Calls without an answer. The same call is sent again under its first key, so that it is made and paid once. */
const unanswered = new Set();

/** Shows the answer, and for a created job also its end. */
// biome-ignore lint/correctness/noUnusedVariables: the scripts that send calls run beside this one
async function ask(told, address, options, isKeyed) {
  say(told, 'Sending…');
  const call = unansweredOf(address, options) ?? { address, options, key: identifier() };
  if (isKeyed) unanswered.add(call);
  const { headers } = options;
  try {
    const began = performance.now();
    const answer = await fetch(address, {
      ...options,
      headers: { ...headers, ...(isKeyed && { 'idempotency-key': call.key }) },
    });
    const text = await answer.text();
    const took = Math.round(performance.now() - began);
    const value = answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
    if (isCertain(answer, value)) unanswered.delete(call);
    const job = value?.job ?? value;
    const status = `${answer.status} in ${took} ms`;
    const isEnded = ended.includes(job?.status);
    show(told, isEnded ? `${status}, job ${job.status}` : status, value, text);
    if (value?.status_url && !isEnded) await follow(told, value.status_url, headers);
  } catch (error) {
    const once = isKeyed ? ' Run it again: it is made, and charged, only once.' : '';
    say(told, `No answer: ${error.message}.${once}`);
  }
}

/**
 * Whether it is certain that a call was made or refused: after other errors, and those of a proxy, it may have been
 * made, or still be running.
 */
function isCertain({ ok, status }, value) {
  const open = ['idempotency_key_in_use', 'internal', 'database_unavailable', 'shutting_down'];
  return ok || (value?.code ? !open.includes(value.code) : status < 500);
}

function unansweredOf(address, options) {
  const isSame = (one) =>
    one.address === address &&
    one.options.method === options.method &&
    one.options.body === options.body &&
    JSON.stringify(one.options.headers) === JSON.stringify(options.headers);
  return [...unanswered].find(isSame);
}

/** Shows the job until it has ended. A state that cannot be read leaves the last one shown: the job was accepted. */
async function follow(told, address, { 'content-type': _, ...headers }) {
  for (;;) {
    try {
      const answer = await fetch(address, { headers: { ...headers, prefer: 'wait=30' } });
      if (!answer.ok) throw new Error(`${answer.status}`);
      const job = await answer.json();
      show(told, `${answer.status}, job ${job.status}`, job, '');
      if (ended.includes(job.status)) return;
    } catch (error) {
      const status = told.querySelector('.status');
      status.textContent += `. The job goes on, but its state cannot be read: ${error.message}.`;
      return;
    }
  }
}

function say(told, words) {
  told.replaceChildren(make('p', { className: 'status', textContent: words }));
}

function show(told, status, value, text) {
  const shown = value === undefined ? text.slice(0, 2000) : JSON.stringify(value, null, 2);
  say(told, status);
  const beside = make('div', { className: 'beside' });
  const pre = make('pre', { tabIndex: 0 });
  pre.setAttribute('aria-label', 'Answer');
  pre.append(make('code', { textContent: shown || 'An answer without a body.' }));
  beside.append(...imagesOf(value).map(image), pre);
  told.append(beside);
}

function imagesOf(value) {
  const jobs = value?.data ?? [value?.job ?? value];
  if (!Array.isArray(jobs)) return [];
  const links = jobs.map((one) => one?.result?.image_url ?? (one?.upload_id && one.url));
  return links.filter((link) => /^https?:/.test(link)).slice(0, 8);
}

/** From this server when it is its own: the page may be open under another of its names. */
function image(link) {
  const { pathname, search } = new URL(link, location.origin);
  const image = make('img', {
    src: pathname.startsWith('/images/') ? pathname + search : link,
    alt: 'The image of the answer',
    loading: 'lazy',
  });
  image.addEventListener('error', () => {
    if (image.src === link) image.remove();
    else image.src = link;
  });
  const anchor = make('a', { href: link, target: '_blank', rel: 'noreferrer' });
  anchor.append(image);
  return anchor;
}

/** Pages without https have no `crypto.randomUUID`. */
function identifier() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

function make(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
