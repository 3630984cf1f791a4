// Sends a call with the reader's key, which the page does not store, or with their session.
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
  const { method, path, body, file, takes = '', keysOnly } = section.dataset;
  const fields = make('div', { className: 'wishes' });
  const keyField = field(
    fields,
    'API key',
    make('input', {
      type: 'password',
      value: key,
      autocomplete: 'off',
      placeholder: reader && keysOnly === undefined ? `Empty: as ${reader.account.name}` : 'dk_…',
    }),
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
    const isReader = key === '' && reader !== undefined && keysOnly === undefined;
    const headers = {
      ...(isReader ? asReader() : { authorization: `Bearer ${key}` }),
      ...(text && { 'content-type': 'application/json' }),
      ...(takes.includes('prefer') && { prefer: 'wait=30' }),
    };
    const sent = text?.value ?? photo?.files[0];
    const address = `${filled}${query?.value ? `?${query.value.replace(/^\?/, '')}` : ''}`;
    const options = { method, headers, ...(sent && { body: sent }) };
    send.disabled = true;
    const isWanted = !isReader || (await isAgreed(told, address, options));
    if (isWanted) await ask(told, address, options, takes.includes('idempotency-key'));
    send.disabled = false;
    if (document.activeElement === document.body) send.focus();
  });
}

function field(place, name, input) {
  const label = make('label', {});
  label.append(make('span', { textContent: name }), input);
  place.append(label);
  return input;
}
