/**
 * The files that take the longest, almost half of the time of all. `npm run test:long` and CI run them. `npm test` has
 * shorter tests of the same parts.
 */
const longTests = [
  /^panel\/e2e\/(accessibility|account|albums|batch|brand|captcha|choose|connect|contact|dialogs|docs|image-actions)/,
  /^panel\/e2e\/(input-tiles|languages|local|long-list|make|masks|models|operators|packed|page-weight|passkeys)/,
  /^panel\/e2e\/(payments|people|sign-up|stranger|tasks|webhooks)/,
  /^(cli\/test\/installed-|sdk\/test\/)package/,
  /^server\/test\/(admin\/slow-logo|attack\/attack|db\/(pgbouncer|upgrade-and-back))/,
  /^server\/test\/faults\/(clock-jumps-of|commit-points|every-fault|full-disk|overload|power-loss|processes|restored-copy)/,
  /^server\/test\/(http\/(broken-bodies|turns)|images\/kept-pixels|runner)/,
  /^server\/test\/processes\/(commands|erasing|lost-secret|refused-starts|rolling-restarts|small-memory)/,
];

export function isLong(file: string): boolean {
  return longTests.some((name) => name.test(file));
}
