import { loadLanguage, writtenIn } from './languages/language.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root');

document.documentElement.lang = writtenIn;
// This promise is not awaited, because other files import this one and would wait for it.
void loadLanguage()
  .catch(() => {
    document.documentElement.lang = 'en'; // without translations, the page is in English
  })
  .then(() => import('./app.tsx'))
  .then(({ startApp }) => startApp(root));
