import { encodeQR } from 'qr';
import classes from './qr-code.module.css';

// What the standard asks for around the squares; without it cameras do not find them.
const quietZone = 4;

/** Large squares: a screen needs no repair. Dark on light in both colour schemes: many cameras take nothing else. */
export function QrCode({ text, what }: { text: string; what: string }) {
  const rows = encodeQR(text, 'raw', { border: quietZone, ecc: 'low' });
  const squares = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg className={classes.code} viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={what}>
      <path d={squares.join('')} />
    </svg>
  );
}
