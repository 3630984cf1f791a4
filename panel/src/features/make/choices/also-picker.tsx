import '@mantine/core/styles/Chip.css';
import { Button, Chip } from '@mantine/core';
import picker from './picker.module.css';

export function AlsoPicker(props: {
  legend: string;
  others: { id: string; name: string }[];
  chosen: string[];
  most: number;
  onChange: (chosen: string[]) => void;
}) {
  const { others, chosen } = props;
  const all = others.slice(0, props.most).map(({ id }) => id);
  const isAll = chosen.length >= all.length;
  return (
    <fieldset className={picker.picker}>
      <legend>{props.legend}</legend>
      <Chip.Group multiple value={chosen} onChange={(wanted) => props.onChange(wanted.slice(0, props.most))}>
        <div className="row" style={{ gap: 6 }}>
          {others.map(({ id, name }) => (
            <Chip key={id} value={id} size="sm" radius="sm" variant="outline">
              {name}
            </Chip>
          ))}
        </div>
      </Chip.Group>
      {all.length === others.length && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          mt={10}
          onClick={() => props.onChange(isAll ? [] : all)}
        >
          {isAll ? 'None' : `All ${all.length + 1}`}
        </Button>
      )}
    </fieldset>
  );
}
