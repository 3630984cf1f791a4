// A search over all pages, whose index loads when a reader begins to type. Forwards addresses of the reference from
// when it was at /docs.
if (location.pathname === '/docs' && location.hash !== '' && !document.getElementById(location.hash.slice(1)))
  location.replace(`/docs/reference${location.hash}`);

const most = 8;
const isReference = /^\/docs\/(reference|errors)/.test(location.pathname);
const list = document.createElement('ol');
list.className = 'found';
list.id = 'found';
list.hidden = true;
search.append(list);

let index;
function load() {
  index ??= fetch('/docs/search.json')
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(answer.statusText))))
    .catch((error) => {
      index = undefined; // the next letter asks again
      throw error;
    });
  return index;
}
wish.addEventListener('focus', () => load().catch(() => {}), { once: true }); // typing shows the error

wish.addEventListener('input', async () => {
  const typed = wish.value;
  const words = wordsOf();
  const entries = words.length === 0 ? [] : await load().catch(() => null);
  if (wish.value !== typed) return;
  const best = rank(entries ?? [], words).slice(0, most);
  const none = entries ? 'Nothing found' : 'The search cannot be loaded now';
  list.hidden = words.length === 0;
  if (best.length > 0) list.replaceChildren(...best.map(rowOf));
  else list.replaceChildren(...(list.hidden ? [] : [sentence(`${none}.`)]));
  found.textContent = list.hidden ? '' : best.length === 0 ? none : `${best.length} found`;
});

wish.addEventListener('keydown', (event) => {
  const links = [...list.querySelectorAll('a')];
  if (event.key === 'Enter') links[0]?.click();
  if (event.key !== 'ArrowDown' || links.length === 0) return;
  event.preventDefault();
  links[0].focus();
});

list.addEventListener('keydown', (event) => {
  const links = [...list.querySelectorAll('a')];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Escape') wish.focus();
  if (step === undefined) return;
  event.preventDefault();
  (links[links.indexOf(document.activeElement) + step] ?? wish).focus();
});

// A link may lead to another part of this page.
document.addEventListener('click', (event) => {
  if (!search.contains(event.target) || list.contains(event.target)) list.hidden = true;
});
wish.addEventListener('click', () => {
  list.hidden = list.childElementCount === 0;
});

/** Entries that have every word, the heading that says it best first. */
function rank(entries, words) {
  const scored = [];
  for (const entry of entries) {
    const heading = entry.heading.toLowerCase();
    const text = entry.text.toLowerCase();
    let score = 0;
    for (const word of words) {
      const one =
        scoreOf(heading, word) * 10 + scoreOf(entry.page.toLowerCase(), word) * 3 + scoreOf(text, word);
      if (one === 0) score = Number.NEGATIVE_INFINITY;
      score += one;
    }
    const phrase = words.join(' ');
    if (words.length > 1 && heading.includes(phrase)) score += 20;
    else if (words.length > 1 && text.includes(phrase)) score += 4;
    // Guides say how; calls and codes are found by their names, and from where they stand.
    if (entry.page === 'API reference' || entry.page === 'Error codes') score *= isReference ? 2 : 0.6;
    if (score > 0) scored.push([score, entry]);
  }
  return scored.sort(([one], [other]) => other - one).map(([, entry]) => entry);
}

/** 2 where a word begins so, 1 where it stands within another. */
function scoreOf(text, word) {
  const at = text.indexOf(word);
  if (at === -1) return 0;
  return new RegExp(`(?<![a-z0-9])${word.replace(/[^a-z0-9]/g, '\\$&')}`).test(text) ? 2 : 1;
}

function sentence(text) {
  const row = document.createElement('li');
  row.textContent = text;
  return row;
}

function rowOf(entry) {
  const row = document.createElement('li');
  const link = document.createElement('a');
  link.href = entry.url;
  const name = document.createElement('strong');
  name.textContent = entry.heading;
  const where = document.createElement('span');
  where.textContent = entry.page === entry.heading ? '' : entry.page;
  const excerpt = document.createElement('small');
  excerpt.textContent = excerptOf(entry.text);
  link.append(name, ' ', where, excerpt);
  row.append(link);
  return row;
}

/** The text around the first matching word. */
function excerptOf(text) {
  const places = wordsOf().map((word) => text.toLowerCase().indexOf(word));
  const first = Math.min(...places.filter((at) => at !== -1), text.length);
  const start = first < 60 || first === text.length ? 0 : text.indexOf(' ', first - 40) + 1;
  return `${start > 0 ? '… ' : ''}${text.slice(start, start + 130)}${text.length > start + 130 ? ' …' : ''}`;
}
