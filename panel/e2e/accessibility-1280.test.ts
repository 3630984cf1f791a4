import { checkScreens } from './screens.ts';

checkScreens(1280);
