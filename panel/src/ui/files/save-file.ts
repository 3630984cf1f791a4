/** Saves a file made in the browser, under this name. */
export function saveFile(file: Blob, name: string): void {
  const href = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href, download: name });
  link.click();
  // Some browsers read the file only after the click, so it is released later.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
