import type { Model, ModelId } from '@darkroom/server/panel-contract';
import { Checkbox } from '@mantine/core';

/** If `chosen` is null, every model is allowed, including future ones. */
export function ModelsField(props: {
  label: string;
  description?: string;
  models: readonly Model[];
  chosen: ModelId[] | null;
  error?: string | false | undefined;
  onChange: (chosen: ModelId[] | null) => void;
}) {
  const { models, chosen, onChange } = props;
  return (
    <Checkbox.Group
      label={props.label}
      description={props.description}
      value={chosen ?? models.map(({ id }) => id)}
      error={props.error}
      onChange={(ids) => onChange(ids.length === models.length ? null : ids)}
    >
      <div className="stack tight" style={{ marginTop: 8 }}>
        {models.map(({ id, name }) => (
          <Checkbox key={id} value={id} label={`${name} (${id})`} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
