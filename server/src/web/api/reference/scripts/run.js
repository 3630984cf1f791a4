// Adds a button that runs a sample, for readers signed in to this server's panel. Their cookie authorizes the calls of
// keys, together with headers that no form or page of another site can send. Reads run at once; anything else asks
// first.

/** The signed-in reader with the account that samples run in; undefined for others, and until it is known. */
let reader;

// The panel remembers the account that was opened in this browser: without one, the page does not ask for a
// session.
const accountName = 'darkroom.account';
if (remembered() !== null && document.querySelector('[data-request], [data-method]')) greet();

async function greet() {
  // Adds rows at once, so that nothing moves when the reader is known.
  const rows = samples().map(({ figure, request, section }) => addRow(figure, request, section));
  const session = await read('/panel/session');
  if (!session?.accounts.length) {
    for (const { row } of rows) row.remove();
    return;
  }
  const { accounts, currency } = session;
  reader = { accounts, currency };
  const choose = async (account) => {
    Object.assign(reader, { account, key: undefined });
    for (const { tell } of rows) tell(choose);
    const key = await readKey();
    if (reader.account !== account) return; // another was chosen meanwhile
    reader.key = key;
    for (const { tell } of rows) tell(choose);
  };
  await choose(accounts.find(({ account_id }) => account_id === remembered()) ?? accounts[0]);
}

/** The samples of a call; those with placeholders open the form that asks for them. */
function samples() {
  const whole = [...document.querySelectorAll('[data-request]')].map((figure) => ({
    figure,
    request: JSON.parse(figure.dataset.request),
  }));
  const others = [...document.querySelectorAll('[data-method]:not([data-keys-only])')]
    .filter((section) => !section.querySelector('[data-request]'))
    .map((section) => ({ section, figure: section.querySelector('.tabs .code, .code') }));
  return [...whole, ...others].filter(({ figure }) => figure);
}

function addRow(figure, request, section) {
  const row = make('div', { className: 'run' });
  const button = make('button', { type: 'button', textContent: 'Run', disabled: true });
  const note = make('span', { className: 'note' });
  const told = make('div', { className: 'told' });
  told.setAttribute('aria-live', 'polite');
  row.append(button, note);
  figure.append(row, told);
  let isRunning = false;
  button.addEventListener('click', async () => {
    if (!request) return openForm(section);
    const { method, path, body, prefer, isKeyed } = request;
    const headers = {
      ...asReader(),
      ...(body && { 'content-type': 'application/json' }),
      ...(prefer && { prefer }),
    };
    button.disabled = isRunning = true;
    const options = { method, headers, ...(body && { body }) };
    if (await isAgreed(told, path, options)) await ask(told, path, options, isKeyed);
    button.disabled = isRunning = false;
    if (document.activeElement === document.body) button.focus();
  });
  const code = figure.querySelector('code').textContent;
  return {
    row,
    tell(choose) {
      const { account, accounts, key } = reader;
      button.disabled = isRunning;
      const label = make('label', { textContent: 'as ' });
      label.append(accounts.length > 1 ? choiceOf(choose) : make('strong', { textContent: account.name }));
      note.replaceChildren(label);
      if (key && /DARKROOM_API_KEY|dk_…/.test(code))
        note.append(' · in a terminal, your key ', make('a', { href: key.href, textContent: key.name }));
    },
  };
}

/** The form of this call, at its first empty field that is not the key. */
function openForm(section) {
  const details = section.querySelector('.try');
  details.addEventListener('toggle', () => focusOn(details), { once: true });
  if (details.open) focusOn(details);
  details.open = true;
}

function focusOn(details) {
  const fields = [...details.querySelectorAll('input:not([type=password]), textarea')];
  (fields.find(({ value }) => value === '') ?? details.querySelector('.row button')).focus();
}

/**
 * One choice of account for all samples. An operator has hundreds of accounts, which are listed only when one is to
 * be chosen.
 */
function choiceOf(choose) {
  const choice = make('select', {});
  const list = (accounts) =>
    choice.replaceChildren(
      ...accounts.map(({ account_id: value, name: textContent }) => make('option', { value, textContent })),
    );
  list([reader.account]);
  for (const event of ['focus', 'pointerdown'])
    choice.addEventListener(event, () => {
      if (choice.length > 1) return;
      list(reader.accounts);
      choice.value = reader.account.account_id;
    });
  choice.addEventListener('change', () => {
    const row = choice.closest('.run');
    choose(reader.accounts.find(({ account_id }) => account_id === choice.value));
    row.querySelector('select').focus();
  });
  return choice;
}

async function readKey() {
  const { account_id } = reader.account;
  const keys = await read('/api/v1/keys?limit=20', asReader());
  const key = keys?.data.find(({ status }) => status === 'active' || status === 'expiring');
  return key && { name: key.name, href: `/accounts/${account_id}/keys/${key.key_id}` };
}

function asReader() {
  return { 'darkroom-panel': '1', 'darkroom-account': reader.account.account_id };
}

/** Asks before a change or a cost, showing its price. Resolves to whether the reader agrees. */
async function isAgreed(told, address, options) {
  if (options.method === 'GET') return true;
  const { name } = reader.account;
  // A call that may have been made has no quote: limits and balance would count it twice.
  const isRepeated = unansweredOf(address, options) !== undefined;
  const quote = isRepeated ? undefined : await priceOf(told, address, options);
  if (quote === null) return false;
  const words = quote
    ? `This costs ${quote}, which ${name} pays.`
    : `This changes something in ${name}: ${options.method} ${address}.`;
  const question = make('p', {
    textContent: isRepeated
      ? `The last try was perhaps made. This sends the same call again, which ${name} pays only once.`
      : words,
  });
  const group = make('div', { className: 'agree', tabIndex: -1 });
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', question.textContent);
  const yes = make('button', { type: 'button', textContent: quote ? `Run for ${quote}` : 'Run it' });
  const no = make('button', { type: 'button', className: 'plain', textContent: 'Cancel' });
  const buttons = make('div', { className: 'run' });
  buttons.append(yes, no);
  group.append(question, buttons);
  told.replaceChildren(group);
  group.focus();
  return new Promise((resolve) => {
    const end = (isWanted) => {
      told.replaceChildren();
      resolve(isWanted);
    };
    yes.addEventListener('click', () => end(true));
    no.addEventListener('click', () => end(false));
    group.addEventListener('keydown', ({ key }) => key === 'Escape' && end(false));
  });
}

/** The price, formatted; undefined if the call is free, and null if a refusal was shown instead. */
async function priceOf(told, address, { method, headers: { prefer: _, ...headers }, body }) {
  const [path] = address.split('?');
  if (!/(-generations|\/batches|\/again)$/.test(path)) return undefined;
  const answer = await fetch(`${path}?dry_run=true`, { method, headers, body }).catch(() => undefined);
  const value = await answer?.json().catch(() => undefined);
  if (answer?.ok && value.accepted !== false)
    return new Intl.NumberFormat('en', {
      style: 'currency',
      currency: reader.currency,
      maximumFractionDigits: 6,
    }).format(value.price);
  show(told, answer?.ok ? `Not now: ${value.detail}` : `${answer?.status ?? 'No answer'}`, value, '');
  return null;
}

async function read(address, headers = {}) {
  const answer = await fetch(address, { headers }).catch(() => undefined);
  return answer?.ok ? answer.json() : undefined;
}

/** The id of the account; null also if the browser blocks storage. */
function remembered() {
  try {
    return localStorage.getItem(accountName);
  } catch {
    return null;
  }
}
