import { ActionIcon, Button, Menu, Textarea, TextInput } from '@mantine/core';
import { IconHistory, IconStar, IconStarFilled } from '@tabler/icons-react';
import type { Draft } from './draft.ts';
import classes from './prompt-field.module.css';
import type { Prompts } from './prompts.ts';
import { variablesOf } from './template.ts';

export function PromptField(props: {
  draft: Draft;
  maxLength: number;
  prompts: Prompts;
  values: Record<string, string>;
  onValues: (values: Record<string, string>) => void;
  onChange: (prompt: string) => void;
  onSubmit: () => void;
}) {
  const { draft, prompts, values } = props;
  const { prompt } = draft;
  const isFavourite = prompts.favourites.includes(prompt);
  return (
    <div className="stack tight">
      <div className={classes.field}>
        <Textarea
          label="Prompt"
          placeholder={
            draft.mode === 'text' ? 'What should the image show?' : 'What should be done with the images?'
          }
          autosize
          dir="auto"
          minRows={4}
          maxRows={14}
          maxLength={props.maxLength}
          value={prompt}
          aria-keyshortcuts="Control+Enter"
          onChange={(event) => props.onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) props.onSubmit();
          }}
        />
        <div className={classes.tools}>
          {prompt.trim() !== '' && (
            <ActionIcon
              size={26}
              aria-label="Favourite"
              aria-pressed={isFavourite}
              title={isFavourite ? 'Remove from favourites' : 'Keep this prompt'}
              onClick={() => prompts.toggleFavourite(prompt)}
            >
              {isFavourite ? <IconStarFilled size={16} /> : <IconStar size={16} />}
            </ActionIcon>
          )}
          <Earlier prompts={prompts} onPick={props.onChange} />
        </div>
      </div>
      {variablesOf(prompt).map((name) => (
        <TextInput
          key={name}
          label={name}
          value={values[name] ?? ''}
          onChange={(event) => props.onValues({ ...values, [name]: event.currentTarget.value })}
        />
      ))}
    </div>
  );
}

function Earlier({ prompts, onPick }: { prompts: Prompts; onPick: (prompt: string) => void }) {
  const recent = prompts.recent.filter((one) => !prompts.favourites.includes(one));
  if (recent.length + prompts.favourites.length === 0) return null;
  const item = (prompt: string) => (
    <Menu.Item key={prompt} onClick={() => onPick(prompt)}>
      <span className={classes.prompt} dir="auto">
        {prompt}
      </span>
    </Menu.Item>
  );
  return (
    <Menu width={360} position="bottom-end">
      <Menu.Target>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          leftSection={<IconHistory size={15} aria-hidden />}
        >
          Prompts
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        {prompts.favourites.length > 0 && <Menu.Label>Favourites</Menu.Label>}
        {prompts.favourites.map(item)}
        {recent.length > 0 && <Menu.Label>Recent</Menu.Label>}
        {recent.map(item)}
        <Menu.Label>
          Write <code>{'{{place}}'}</code> in a prompt to fill it in each time.
        </Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}
