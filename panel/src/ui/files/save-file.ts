export function saveFile(file: Blob, name: string): void {
  const href = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href, download: name });
  link.click();
  // Released later, because some browsers read the file only after the click.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
