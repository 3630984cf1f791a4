import type { OperatorModelDetail, RouteDefinition } from '@darkroom/server/panel-contract';
import { ActionIcon, Button } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconGripVertical } from '@tabler/icons-react';
import { useCallback, useContext, useId, useState } from 'react';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { announce } from '../../ui/announce.tsx';
import { type Keyed, keyed, moved, nameOfRoute, replaced, without } from './draft.ts';
import classes from './editor.module.css';
import { RouteFields, type RouteSurroundings } from './route-fields.tsx';
import { UnreadableCount, wouldBeLost } from './text-fields.tsx';

type Route = Keyed<RouteDefinition>;

/** Routes in the order in which they are tried. The mouse drags them, and buttons move them. */
export function RouteList(props: {
  routes: Route[];
  choices: Pick<OperatorModelDetail, 'connections' | 'providers'>;
  surroundings: Omit<RouteSurroundings, 'pointer' | 'choices'>;
  onChange: (routes: Route[]) => void;
}) {
  const { routes, onChange } = props;
  const [dragged, setDragged] = useState<number>();
  const [open, setOpen] = useState<number>();
  const { count, why } = useUnreadable();
  const move = (from: number, to: number) => {
    const route = routes[from];
    if (!route || to < 0 || to >= routes.length || from === to) return;
    onChange(moved(routes, from, to));
    announce(
      t('{nameOfRoute} is now {to} of {length}', {
        nameOfRoute: nameOfRoute(route.value),
        to: to + 1,
        length: routes.length,
      }),
    );
  };
  const add = () => {
    const [connection] = props.choices.connections;
    const route = keyed<RouteDefinition>(
      '',
      connection ? { connection: connection.name } : { provider: 'fal' },
    );
    onChange([...routes, route]);
    setOpen(route.key);
  };
  return (
    <>
      <ol className={classes.routes} aria-label="Routes in order">
        {routes.map((route, index) => (
          <li
            key={route.key}
            className={classes.route}
            data-dragged={dragged === route.key || undefined}
            onDragOver={(event) => {
              const from = routes.findIndex(({ key }) => key === dragged);
              if (from < 0) return;
              event.preventDefault();
              move(from, index);
            }}
            onDrop={(event) => event.preventDefault()}
          >
            <Head
              route={route.value}
              index={index}
              count={routes.length}
              isOpen={open === route.key}
              why={why}
              onMove={(to) => move(index, to)}
              onDrag={(isDragged) => setDragged(isDragged ? route.key : undefined)}
              onOpen={() => setOpen(open === route.key ? undefined : route.key)}
              onRemove={() => onChange(without(routes, route))}
            />
            {open === route.key && (
              <div className={classes.routeBody}>
                <UnreadableCount value={count}>
                  <RouteFields
                    route={route.value}
                    surroundings={{
                      ...props.surroundings,
                      choices: props.choices,
                      pointer: `/routes/${index}`,
                    }}
                    onChange={(value) => onChange(replaced(routes, { ...route, value }))}
                  />
                </UnreadableCount>
              </div>
            )}
          </li>
        ))}
      </ol>
      <div>
        <ActionButton size="xs" variant="default" why={why} onClick={add}>
          Add a route
        </ActionButton>
      </div>
    </>
  );
}

/** Counts unreadable fields in this part, and adds them to the count of the surrounding part. */
function useUnreadable() {
  const [unreadable, setUnreadable] = useState(0);
  const above = useContext(UnreadableCount);
  const count = useCallback(
    (change: (before: number) => number) => {
      setUnreadable(change);
      above(change);
    },
    [above],
  );
  return { count, why: unreadable > 0 ? wouldBeLost : undefined };
}

function Head(props: {
  route: RouteDefinition;
  index: number;
  count: number;
  isOpen: boolean;
  /** Why the settings cannot be opened or closed. */
  why: string | undefined;
  onMove: (to: number) => void;
  onDrag: (isDragged: boolean) => void;
  onOpen: () => void;
  onRemove: () => void;
}) {
  const { route, index, count, onMove } = props;
  const id = useId();
  const name = nameOfRoute(route);
  const step = (to: number, button: 'up' | 'down') => {
    if (to < 0 || to >= count) return;
    onMove(to);
    // A moved element may lose its focus.
    requestAnimationFrame(() => document.getElementById(`${id}-${button}`)?.focus());
  };
  const arrow = (button: 'up' | 'down', to: number, Icon: typeof IconArrowUp) => {
    const isEnd = to < 0 || to >= count;
    return (
      <ActionIcon
        id={`${id}-${button}`}
        aria-label={button === 'up' ? `Move ${name} up` : `Move ${name} down`}
        aria-disabled={isEnd}
        {...(isEnd && { 'data-disabled': true })}
        onClick={() => step(to, button)}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    );
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the mouse may drag what the buttons move
    <div
      className={classes.routeHead}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', name);
        props.onDrag(true);
      }}
      onDragEnd={() => props.onDrag(false)}
    >
      <span className={classes.handle} aria-hidden>
        <IconGripVertical size={16} />
      </span>
      <span className={classes.rank}>{index + 1}</span>
      <span className="strong">{name}</span>
      <span className="soft tiny">{summaryOf(route)}</span>
      <span className="row end">
        {arrow('up', index - 1, IconArrowUp)}
        {arrow('down', index + 1, IconArrowDown)}
        <ActionButton
          size="compact-sm"
          variant="default"
          why={props.why}
          aria-expanded={props.isOpen}
          aria-label={`Settings of ${name}`}
          onClick={props.onOpen}
        >
          {props.isOpen ? 'Close' : 'Settings'}
        </ActionButton>
        <Button size="compact-sm" variant="default" aria-label={`Remove ${name}`} onClick={props.onRemove}>
          Remove
        </Button>
      </span>
    </div>
  );
}

function summaryOf({ provider, name, model, slots, perMinute, weight, cost }: RouteDefinition): string {
  const amounts = typeof cost === 'object' && cost !== null ? Object.values(cost).join(', ') : cost;
  return [
    name !== undefined && provider !== undefined && String(provider),
    model !== undefined && String(model),
    slots !== undefined && t('{slots, plural, one {# slot} other {# slots}}', { slots: Number(slots) }),
    perMinute !== undefined && t('{perMinute} a minute', { perMinute: String(perMinute) }),
    weight !== undefined && t('weight {weight}', { weight: String(weight) }),
    amounts !== undefined && t('costs {amounts}', { amounts: String(amounts) }),
  ]
    .filter((part) => part !== false)
    .join(' · ');
}
