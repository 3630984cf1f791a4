// Sends a call with a key of the reader, and shows the answer with its image beside it. The key is forgotten with the page.
const ended = ['done', 'failed'];
let key = '';

for (const section of document.querySelectorAll('[data-method]')) {
  const details = make('details', { className: 'try' });
  details.append(make('summary', { textContent: 'Try it' }));
  section.querySelector('.aside').append(details);
  details.addEventListener(
    'toggle',
    () => details.open && details.childElementCount === 1 && build(section, details),
  );
}

function build(section, details) {
  const { method, path, body, file, takes = '' } = section.dataset;
  const fields = make('div', { className: 'wishes' });
  const keyField = field(
    fields,
    'API key',
    make('input', { type: 'password', value: key, autocomplete: 'off', placeholder: 'dk_…' }),
  );
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [
    name,
    field(fields, name, make('input', {})),
  ]);
  const query = takes.includes('query')
    ? field(fields, 'Query', make('input', { placeholder: 'limit=20' }))
    : undefined;
  const text = body
    ? field(
        fields,
        'Body',
        make('textarea', { value: body, rows: Math.min(12, body.split('\n').length), spellcheck: false }),
      )
    : undefined;
  const photo = file ? field(fields, 'Image', make('input', { type: 'file', accept: 'image/*' })) : undefined;
  const send = make('button', { type: 'button', textContent: `Send ${method}` });
  const note = make('span', {
    className: 'note',
    textContent: method === 'GET' ? '' : 'A real request: it does what it says, and costs what it costs.',
  });
  const row = make('div', { className: 'row' });
  row.append(send, note);
  const told = make('div', { className: 'told' });
  told.setAttribute('aria-live', 'polite');
  details.append(fields, row, told);

  send.addEventListener('click', async () => {
    key = keyField.value.trim();
    const filled = inPath.reduce(
      (all, [name, input]) => all.replace(`{${name}}`, encodeURIComponent(input.value)),
      path,
    );
    const headers = {
      authorization: `Bearer ${key}`,
      ...(text && { 'content-type': 'application/json' }),
      ...(takes.includes('idempotency-key') && { 'idempotency-key': identifier() }),
      ...(takes.includes('prefer') && { prefer: 'wait=30' }),
    };
    const sent = text?.value ?? photo?.files[0];
    send.disabled = true;
    await ask(told, `${filled}${query?.value ? `?${query.value.replace(/^\?/, '')}` : ''}`, {
      method,
      headers,
      ...(sent && { body: sent }),
    });
    send.disabled = false;
  });
}

/** Shows the answer, and of a job that was created also its end. */
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
      await follow(told, value.status_url, options.headers.authorization);
  } catch (error) {
    told.replaceChildren(make('p', { className: 'status', textContent: `No answer: ${error.message}.` }));
  }
}

async function follow(told, address, authorization) {
  for (;;) {
    const answer = await fetch(address, { headers: { authorization, prefer: 'wait=30' } });
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

function field(place, name, input) {
  const label = make('label', {});
  label.append(make('span', { textContent: name }), input);
  place.append(label);
  return input;
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
