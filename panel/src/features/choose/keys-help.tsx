import { Dialog } from '../../ui/dialog/dialog.tsx';
import classes from './keys-help.module.css';

const keys: [string[], string][] = [
  [['P'], 'Pick: a star, and on to the next'],
  [['X'], 'Reject, and on to the next'],
  [['U'], 'Neither picked nor rejected'],
  [['1', '…', '5'], 'Rate; the same again takes it away'],
  [['S'], 'Star'],
  [['D'], 'Download'],
  [['T'], 'Tag'],
  [['C'], 'Compare side by side'],
  [['F'], 'Only what has a star, and all again'],
  [['←', '→', '↑', '↓'], 'Move'],
  [['Space', 'Shift'], 'Select, and select up to here'],
  [['Enter'], 'Open'],
  [['Del'], 'Delete'],
  [['+', '−', '0', 'Z'], 'Zoom, fit, and real pixels'],
  [['I'], 'Details'],
  [['Esc'], 'Close'],
];

/** The keys that move through images. */
export function KeysHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keys" opened={opened} onClose={onClose}>
      <dl className={classes.keys}>
        {keys.map(([pressed, meaning]) => (
          <div key={meaning}>
            <dt>
              {pressed.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
