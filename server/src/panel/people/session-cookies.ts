/** Tells a browser that has signed in as somebody before; says nothing and opens nothing. */
export const deviceCookie = 'darkroom.device';
export const deviceSeconds = 365 * 24 * 60 * 60;
/** Between the password and the code. */
export const codeCookie = 'darkroom.code_for';

export function cookieOptions({ publicUrl, maxAge }: { publicUrl: string; maxAge: number }) {
  return {
    path: '/panel',
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
    maxAge,
  } as const;
}
