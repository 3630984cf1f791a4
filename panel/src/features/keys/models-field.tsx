import type { ModelId, PanelModel } from '@darkroom/server/panel-contract';
import { Checkbox } from '@mantine/core';

/** The models that a key may use. Null: every model, also those to come. */
export function ModelsField(props: {
  label: string;
  description?: string;
  models: readonly PanelModel[];
  chosen: ModelId[] | null;
  error?: string | false | undefined;
  onChange: (chosen: ModelId[] | null) => void;
}) {
  const { models, chosen, onChange } = props;
  return (
    <Checkbox.Group
      label={props.label}
      description={props.description}
      value={chosen ?? models.map(({ model }) => model)}
      error={props.error}
      onChange={(ids) => onChange(ids.length === models.length ? null : ids)}
    >
      <div className="stack tight" style={{ marginTop: 8 }}>
        {models.map(({ model, name }) => (
          <Checkbox key={model} value={model} label={`${name} (${model})`} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
