import { t } from '../../languages/words.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import classes from './keys-help.module.css';

const keys: [string[], string][] = [
  [['P'], t('Pick: a star, and on to the next')],
  [['X'], t('Reject, and on to the next')],
  [['U'], t('Neither picked nor rejected')],
  [['1', '…', '5'], t('Rate; press again to remove')],
  [['S'], t('Star')],
  [['D'], t('Download')],
  [['T'], t('Tag')],
  [['C'], t('Compare side by side')],
  [['F'], t('Show only starred images, or all again')],
  [['←', '→', '↑', '↓'], t('Move')],
  [[t('Space'), 'Shift'], t('Select, and select up to here')],
  [['Enter'], t('Open the image')],
  [[t('Del')], t('Delete')],
  [['+', '−', '0', 'Z'], t('Zoom, fit, and actual pixels')],
  [['I'], t('Details')],
  [[t('Esc')], t('Close')],
];

export function KeysHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keyboard" opened={opened} onClose={onClose}>
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
