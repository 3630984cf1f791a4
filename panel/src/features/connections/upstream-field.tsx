import type { AnswerOf } from '@darkroom/server/panel-contract';
import { Select, TextInput } from '@mantine/core';

export type Found = AnswerOf<'POST /panel/operator/connections/:name/offers'>;
export type Upstream = Extract<Found['trial'], { ok: true }>['models'][number];

/** A choice among the upstream's models, or a text field if the upstream lists none, as for Azure's deployments. */
export function UpstreamField(props: {
  label: string;
  /** Whether only screen readers get the label. */
  quiet?: boolean;
  upstreams: Upstream[];
  value: string;
  onChange: (id: string) => void;
}) {
  const { label, quiet, upstreams, value, onChange } = props;
  const named = quiet ? { 'aria-label': label } : { label };
  if (upstreams.length === 0)
    return (
      <TextInput
        {...named}
        placeholder="The name of the deployment or model"
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
    );
  const notice = upstreams.find(({ id }) => id === value)?.notice;
  return (
    <Select
      {...named}
      {...(notice && { description: notice })}
      searchable
      allowDeselect={false}
      data={upstreams.map(({ id, name }) => ({
        value: id,
        label: name && name !== id ? `${name} · ${id}` : id,
      }))}
      value={value}
      onChange={(id) => onChange(id ?? '')}
    />
  );
}

export function settingsOf(upstreams: readonly Upstream[], id: string): Record<string, unknown> {
  return { ...(upstreams.find((one) => one.id === id)?.settings ?? { model: id }) };
}
