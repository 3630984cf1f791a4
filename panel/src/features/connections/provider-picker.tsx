import type { ConnectableProvider } from '@darkroom/server/panel-contract';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import classes from './connections.module.css';

/** The providers that can be connected, as links to their forms. */
export function ProviderPicker({ providers }: { providers: ConnectableProvider[] }) {
  return (
    <ul className={classes.providers}>
      {providers.map(({ provider, name }) => (
        <li key={provider}>
          <Link href={paths.connect({ provider })} className={`bare ${classes.provider}`}>
            <span className="strong">{name}</span>
            <span className="tiny soft">{about[provider]}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const about: Record<ConnectableProvider['provider'], string> = {
  gemini: 'Google’s image models, by a key of AI Studio or Vertex AI',
  openai: 'GPT Image, or any server that speaks OpenAI’s protocol',
  azure: 'Your own deployments of GPT Image',
  fal: 'FLUX, Nano Banana, Qwen-Image and others, by one key',
  replicate: 'Its collection of text-to-image models',
  bfl: 'FLUX, from those who make it',
  bedrock: 'Stable Image and Nova Canvas on AWS',
  comfyui: 'Your own workflows on your own graphics card',
  automatic1111: 'Also Forge and SD.Next, with your checkpoints',
};
