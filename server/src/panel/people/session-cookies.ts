/** Marks a browser that has signed in before. It grants nothing. */
export const deviceCookie = 'darkroom.device';
export const deviceSeconds = 365 * 24 * 60 * 60;
/** Valid between the password and the code. */
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
