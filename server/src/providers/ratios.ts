/** The ratios that every hosted model serves, and the four long ones that few do. */
export const commonRatios = [
  '1:1',
  '2:3',
  '3:2',
  '3:4',
  '4:3',
  '4:5',
  '5:4',
  '9:16',
  '16:9',
  '21:9',
] as const;
export const allRatios = [...commonRatios, '1:4', '1:8', '4:1', '8:1'] as const;
export const allResolutions = ['1K', '2K', '4K'] as const;
/** 40 MB, the most that the inputs of one job can take. */
export const maxJobInputBytes = 40 * 1024 * 1024;
