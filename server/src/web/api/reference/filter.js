// Of the reference: shows the calls that have the words somebody looks for.

/** The text that stands for each entry of the navigation: its own, and that of its section. */
const texts = new Map();
for (const link of document.querySelectorAll('.menu li li a')) {
  const section = link.pathname === location.pathname ? document.getElementById(link.hash.slice(1)) : null;
  texts.set(link, `${link.textContent} ${section?.querySelector('.text')?.textContent ?? ''}`.toLowerCase());
}

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
});
