import type { ModelChanges } from '@darkroom/server/panel-contract';
import classes from './editor.module.css';

export function Changes({ changes }: { changes: ModelChanges }) {
  const entries = Object.entries(changes);
  if (entries.length === 0) return <p className="soft small">Nothing differs.</p>;
  return (
    <dl className={classes.changes}>
      {entries.map(([path, change]) => (
        <div key={path}>
          <dt>{path}</dt>
          <dd>{change}</dd>
        </div>
      ))}
    </dl>
  );
}
