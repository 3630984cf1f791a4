import type { ConnectableProvider } from '@darkroom/server/panel-contract';
import { told } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import classes from './connections.module.css';

export function ProviderPicker({ providers }: { providers: ConnectableProvider[] }) {
  return (
    <ul className={classes.providers}>
      {providers.map(({ provider, name, about }) => (
        <li key={provider}>
          <Link href={paths.connect({ provider })} className={`bare ${classes.provider}`}>
            <span className="strong">{name}</span>
            <span className="tiny soft">{told(about)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
