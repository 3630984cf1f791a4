import { useLocalStorage } from '@mantine/hooks';

interface Kept {
  recent: string[];
  favourites: string[];
}

export interface Prompts extends Kept {
  remember: (prompt: string) => void;
  toggleFavourite: (prompt: string) => void;
}

const maxRecent = 30;
const maxFavourites = 100;

/** Recent prompts come from this browser, newest first. */
export function usePrompts(accountId: string): Prompts {
  const [kept, setKept] = useLocalStorage<Kept>({
    key: `darkroom.prompts.${accountId}`,
    defaultValue: { recent: [], favourites: [] },
    getInitialValueInEffect: false,
  });
  const without = (list: string[], prompt: string) => list.filter((one) => one !== prompt);
  return {
    ...kept,
    remember: (prompt) =>
      setKept((old) => ({
        ...old,
        recent: [prompt, ...without(old.recent, prompt)].slice(0, maxRecent),
      })),
    toggleFavourite: (prompt) =>
      setKept((old) => ({
        ...old,
        favourites: old.favourites.includes(prompt)
          ? without(old.favourites, prompt)
          : [prompt, ...old.favourites].slice(0, maxFavourites),
      })),
  };
}
