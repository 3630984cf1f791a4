import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import { root } from './pack-folder.ts';

const server = join(root, 'server/src/app.ts');
/** Commands that need the database but no server. Like child processes and threads, they must not load a server. */
const operator = join(root, 'server/src/start/open-operator.ts');

/**
 * Gathers the modules that only the server loads, and loads at every start, in one file. The bundler alone would spread
 * them over 90 files, and a start would need a twentieth more processor time.
 */
export function gatherServer(): { plugin: Plugin; group: Rolldown.CodeSplittingGroup } {
  const gathered = new Set<string>();
  return {
    plugin: {
      name: 'gather-server',
      buildEnd() {
        const reach = (entries: readonly string[]) => {
          const found = new Set(entries);
          for (const id of found)
            for (const imported of this.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
          return found;
        };
        const programs = [...this.getModuleIds()].filter((id) => this.getModuleInfo(id)?.isEntry);
        for (const id of reach([server]).difference(reach([...programs, operator]))) gathered.add(id);
      },
    },
    group: { debugName: 'server', name: (id) => (gathered.has(id) ? 'server' : null) },
  };
}
