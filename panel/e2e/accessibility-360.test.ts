import { checkScreens } from './screens.ts';

checkScreens(360);
