// Copy buttons, this server's address in the examples, one choice of language for all of them, and a search.
for (const place of document.querySelectorAll('[data-origin]')) place.textContent = location.origin;

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
 * Only secure pages may use the clipboard. Elsewhere the text is selected, and copied where the browser still
 * allows that.
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
wish.setAttribute('aria-label', 'Search the reference');
const found = document.createElement('span');
found.className = 'said';
found.setAttribute('role', 'status');
search.append(wish, found);
nav.before(search);

/** The text that stands for each entry of the navigation: its own, and that of its section. */
const texts = new Map();
for (const link of document.querySelectorAll('.menu li li a')) {
  const section = link.pathname === location.pathname ? document.getElementById(link.hash.slice(1)) : null;
  texts.set(link, `${link.textContent} ${section?.querySelector('.text')?.textContent ?? ''}`.toLowerCase());
}

const wordsOf = () => wish.value.toLowerCase().split(/\s+/).filter(Boolean);

wish.addEventListener('input', () => {
  const words = wordsOf();
  let count = 0;
  for (const [link, text] of texts) {
    const fits = words.every((word) => text.includes(word));
    link.parentElement.hidden = !fits;
    if (fits) count += 1;
  }
  for (const group of document.querySelectorAll('.menu > li'))
    group.hidden = words.length > 0 && !group.querySelector('li:not([hidden])');
  nav.classList.toggle('searching', words.length > 0);
  found.textContent = words.length === 0 ? '' : count === 1 ? '1 entry' : `${count} entries`;
});

wish.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') {
    const shown = [...texts.keys()].filter((link) => !link.parentElement.hidden);
    // One that is named so comes before those that mention it.
    const named = shown.find((link) =>
      wordsOf().every((word) => link.textContent.toLowerCase().includes(word)),
    );
    (named ?? shown[0])?.click();
  }
  if (event.key === 'Escape') {
    wish.value = '';
    wish.dispatchEvent(new Event('input'));
  }
});

document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  wish.focus();
});
