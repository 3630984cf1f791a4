import { loadLanguage, writtenIn } from './languages/language.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root');

document.documentElement.lang = writtenIn;
// Not awaited here: other files use what this one brings, and would wait for it.
void loadLanguage()
  .catch(() => {
    document.documentElement.lang = 'en'; // Words that did not come are said in English.
  })
  .then(() => import('./app.tsx'))
  .then(({ startApp }) => startApp(root));
