export interface Example {
  language: 'curl' | 'JavaScript' | 'Python' | 'Go' | 'TypeScript' | 'CLI';
  code: string;
}
