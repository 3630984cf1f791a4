// The script of every page: copy buttons, this server's address in the examples, one choice of language for all of
// them, and the search field, whose results search.js finds.
for (const element of document.querySelectorAll('[data-origin]')) element.textContent = location.origin;

for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy ${block.querySelector('figcaption').textContent}`);
  const said = document.createElement('span');
  said.className = 'said';
  said.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    const done = await copy(block.querySelector('code'));
    button.textContent = done ? 'Copied' : 'Press Ctrl+C';
    said.textContent = done ? 'Copied' : 'Selected. Press Ctrl+C.';
    setTimeout(() => {
      button.textContent = 'Copy';
      said.textContent = '';
    }, 2000);
  });
  block.append(button, said);
}

for (const tab of document.querySelectorAll('.tabs input')) {
  tab.addEventListener('change', () => {
    const top = tab.getBoundingClientRect().top;
    for (const other of document.querySelectorAll('.tabs input'))
      if (other.value === tab.value) other.checked = true;
    scrollBy({ top: tab.getBoundingClientRect().top - top, behavior: 'instant' });
  });
}

const links = new Map();
for (const link of document.querySelectorAll('.menu li li a')) links.set(link.hash.slice(1), link);
const sections = [...document.querySelectorAll('main section[id]')].filter(({ id }) => links.has(id));
const watcher = new IntersectionObserver(markCurrent, { rootMargin: '-20% 0px -75% 0px' });
for (const section of sections) watcher.observe(section);

function markCurrent(entries) {
  for (const { isIntersecting, target } of entries) {
    const link = links.get(target.id);
    if (isIntersecting) link.setAttribute('aria-current', 'location');
    else link.removeAttribute('aria-current');
    if (isIntersecting) reveal(link);
  }
}

/** Scrolls the column alone: `scrollIntoView` would also stop the reader's own scrolling. */
function reveal(link) {
  const column = document.querySelector('header');
  const { top, bottom } = link.getBoundingClientRect();
  if (top < 0) column.scrollTop += top;
  else if (bottom > column.clientHeight) column.scrollTop += bottom - column.clientHeight;
}

/**
 * Copies code. Only secure pages may use the clipboard; elsewhere it selects the text, and copies it if the
 * browser still allows that.
 */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return document.execCommand('copy');
  }
}

const nav = document.querySelector('header nav');
const search = document.createElement('div');
search.className = 'search';
search.setAttribute('role', 'search');
const wish = document.createElement('input');
wish.type = 'search';
wish.placeholder = 'Search  /';
wish.setAttribute('aria-label', 'Search the documentation');
const found = document.createElement('span');
found.className = 'said';
found.setAttribute('role', 'status');
search.append(wish, found);
nav.before(search);

/** The words of the search, in lower case. */
// biome-ignore lint/correctness/noUnusedVariables: the scripts that find it run beside this one
const wordsOf = () => wish.value.toLowerCase().split(/\s+/).filter(Boolean);

wish.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  wish.value = '';
  wish.dispatchEvent(new Event('input'));
});

document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  wish.focus();
});
