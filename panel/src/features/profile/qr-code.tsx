import { encodeQR } from 'qr';
import classes from './qr-code.module.css';

// The standard's margin around the code; without it, cameras do not find the code.
const quietZone = 4;

/**
 * Low error correction is enough on a screen. The code is always dark on light, because many cameras read no other
 * codes.
 */
export function QrCode({ text, what }: { text: string; what: string }) {
  const rows = encodeQR(text, 'raw', { border: quietZone, ecc: 'low' });
  const squares = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg className={classes.code} viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={what}>
      <path d={squares.join('')} />
    </svg>
  );
}
