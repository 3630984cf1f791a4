// Sends a call, and shows its answer with its image beside it: for the samples that run, and for calls that readers try.
const ended = ['done', 'failed'];

/** Shows the answer, and of a job that was created also its end. */
// biome-ignore lint/correctness/noUnusedVariables: the scripts that send calls run beside this one
async function ask(told, address, options) {
  told.replaceChildren(make('p', { className: 'status', textContent: 'Sending…' }));
  try {
    const began = performance.now();
    const answer = await fetch(address, options);
    const text = await answer.text();
    const took = Math.round(performance.now() - began);
    const value = answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
    const job = value?.job ?? value;
    show(
      told,
      `${answer.status} in ${took} ms${ended.includes(job?.status) ? `, job ${job.status}` : ''}`,
      value,
      text,
    );
    if (value?.status_url && !ended.includes(job?.status))
      await follow(told, value.status_url, options.headers);
  } catch (error) {
    told.replaceChildren(make('p', { className: 'status', textContent: `No answer: ${error.message}.` }));
  }
}

async function follow(told, address, { 'content-type': _, 'idempotency-key': __, ...headers }) {
  for (;;) {
    const answer = await fetch(address, { headers: { ...headers, prefer: 'wait=30' } });
    const job = await answer.json();
    show(told, `${answer.status}, job ${job.status ?? 'unknown'}`, job, '');
    if (!answer.ok || ended.includes(job.status)) return;
  }
}

function show(told, status, value, text) {
  const shown = value === undefined ? text.slice(0, 2000) : JSON.stringify(value, null, 2);
  told.replaceChildren(make('p', { className: 'status', textContent: status }));
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
// biome-ignore lint/correctness/noUnusedVariables: as above
function identifier() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

function make(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
