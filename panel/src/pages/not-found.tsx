import { paths } from '../paths.ts';
import { Link } from '../ui/link.tsx';
import { Plain } from '../ui/plain.tsx';

export function NotFoundPage() {
  return (
    <Plain title="No such page">
      <p className="soft">The address is wrong, or the page no longer exists.</p>
      <p>
        <Link href={paths.root()}>Go to the start page</Link>
      </p>
    </Plain>
  );
}
