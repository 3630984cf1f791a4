import { loadLanguage, locale } from './languages/language.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root');

document.documentElement.lang = locale;
// Not awaited here: other files use what this one brings, and would wait for it.
void loadLanguage()
  .then(() => import('./app.tsx'))
  .then(({ startApp }) => startApp(root));
