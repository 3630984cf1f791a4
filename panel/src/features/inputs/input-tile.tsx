import { ActionIcon, Loader } from '@mantine/core';
import {
  IconChevronLeft as IconEarlier,
  IconChevronRight as IconLater,
  IconRefresh,
  IconX,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import classes from './input-tile.module.css';

export function InputTile(props: {
  name: string;
  title?: string;
  image: ReactNode;
  wrong?: string | undefined;
  onRetry?: (() => void) | undefined;
  remove: { label: string; act: () => void };
  /** Undefined if the tiles cannot be ordered. */
  order?: Order;
}) {
  const { name, image, wrong, onRetry, remove, order } = props;
  const [isOver, setOver] = useState(false);
  return (
    <li
      className={classes.tile}
      data-wrong={wrong !== undefined || undefined}
      data-over={isOver || undefined}
      {...(order && dragging(order, setOver))}
    >
      <div className={classes.frame}>
        {image ?? (wrong === undefined && <Loader size={18} aria-label={`Loading ${name}`} />)}
        {order && <span className={classes.place}>{order.at + 1}</span>}
        <div className={classes.tools}>
          {order && order.count > 1 && (
            <>
              <ActionIcon
                size={24}
                variant="default"
                aria-label={`Move image ${order.at + 1} earlier`}
                disabled={order.at === 0}
                onClick={() => order.move(order.at, order.at - 1)}
              >
                <IconEarlier size={15} aria-hidden />
              </ActionIcon>
              <ActionIcon
                size={24}
                variant="default"
                aria-label={`Move image ${order.at + 1} later`}
                disabled={order.at === order.count - 1}
                onClick={() => order.move(order.at, order.at + 1)}
              >
                <IconLater size={15} aria-hidden />
              </ActionIcon>
            </>
          )}
          <ActionIcon
            size={24}
            variant="default"
            className={classes.remove}
            aria-label={remove.label}
            onClick={remove.act}
          >
            <IconX size={15} aria-hidden />
          </ActionIcon>
        </div>
      </div>
      <p className={classes.name} title={props.title ?? name}>
        {name}
      </p>
      {wrong !== undefined && (
        <p className={classes.wrong} role="alert">
          {wrong}
        </p>
      )}
      {onRetry && (
        <button type="button" className={classes.retry} onClick={onRetry}>
          <IconRefresh size={13} aria-hidden /> Try again
        </button>
      )}
    </li>
  );
}

export interface Order {
  at: number;
  count: number;
  move: (from: number, to: number) => void;
}

/** Distinguishes dragged tiles from dragged files. */
const dragType = 'application/x-darkroom-input';

function dragging(
  { at, move }: Order,
  setOver: (isOver: boolean) => void,
): React.HTMLAttributes<HTMLElement> {
  const isOurs = (event: React.DragEvent) => event.dataTransfer.types.includes(dragType);
  return {
    draggable: true,
    onDragStart(event) {
      event.dataTransfer.setData(dragType, String(at));
      event.dataTransfer.effectAllowed = 'move';
    },
    onDragOver(event) {
      if (!isOurs(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop(event) {
      setOver(false);
      if (!isOurs(event)) return;
      event.preventDefault();
      move(Number(event.dataTransfer.getData(dragType)), at);
    },
  };
}
