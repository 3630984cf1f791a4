import '@mantine/core/styles/Tabs.css';
import { Tabs } from '@mantine/core';
import { CodeBlock } from '../../ui/code-block.tsx';

export function CodeTabs({ samples }: { samples: Record<string, string> }) {
  const names = Object.keys(samples);
  return (
    <Tabs defaultValue={names[0] ?? ''} keepMounted={false}>
      <Tabs.List mb={8}>
        {names.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {names.map((name) => (
        <Tabs.Panel key={name} value={name}>
          <CodeBlock code={samples[name] ?? ''} what={`${name} code`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
