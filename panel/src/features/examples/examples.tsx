import balloon from './balloon.webp';
import cabin from './cabin.webp';
import city from './city.webp';
import classes from './examples.module.css';
import fox from './fox.webp';
import lighthouse from './lighthouse.webp';
import { prompts } from './prompts.ts';
import whale from './whale.webp';

const images = { lighthouse, fox, city, balloon, cabin, whale };
const names = ['lighthouse', 'fox', 'city', 'balloon', 'cabin', 'whale'] as const;

export function Examples({ onPick }: { onPick: (prompt: string) => void }) {
  return (
    <ul className={classes.examples} aria-label="Examples">
      {names.map((name) => (
        <li key={name}>
          <button type="button" onClick={() => onPick(prompts[name])}>
            <img src={images[name]} alt="" width={480} height={360} decoding="async" />
            <span>{prompts[name]}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
