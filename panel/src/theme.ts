import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';

/**
 * The colours of warm paper and ink, so that only the images are colourful. Filled controls, links and selection are
 * ink. Red is only for failures and actions that cannot be undone.
 */
const ink: MantineColorsTuple = [
  '#f6f2ed',
  '#ece6df',
  '#d8d0c7',
  '#bdb3a9',
  '#988d83',
  '#756b62',
  '#574e47',
  '#3d3530',
  '#2b2521',
  '#211d1a',
];
const failure: MantineColorsTuple = [
  '#fff0ec',
  '#ffdcd3',
  '#ffb8a8',
  '#ff9c86',
  '#ff8d75',
  '#ef5f45',
  '#d2402a',
  '#b9301f',
  '#a8281a',
  '#861d12',
];
const gray: MantineColorsTuple = [
  '#faf8f5',
  '#f4f1ec',
  '#ebe6df',
  '#e3ddd4',
  '#d0c8be',
  '#ada399',
  '#877c73',
  '#665d55',
  '#453e39',
  '#2b2622',
];
const dark: MantineColorsTuple = [
  '#ece6df',
  '#cfc6bd',
  '#a99f96',
  '#7d736b',
  '#4a413c',
  '#342d2a',
  '#2a2422',
  '#1d1918',
  '#141110',
  '#0e0c0b',
];

export const theme = createTheme({
  colors: { ink, failure, gray, dark },
  primaryColor: 'ink',
  primaryShade: { light: 9, dark: 1 },
  variantColorResolver: filledByScheme,
  white: '#fffefc',
  black: '#211d1a',
  defaultRadius: 6,
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Ubuntu, Cantarell, sans-serif",
  fontFamilyMonospace:
    "ui-monospace, 'SF Mono', SFMono-Regular, Menlo, 'Cascadia Mono', Consolas, 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.3' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '40px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '22px', lineHeight: '1.25' },
      h2: { fontSize: '15px', lineHeight: '1.35' },
      h3: { fontSize: '14px', lineHeight: '1.4' },
    },
  },
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: {
        // A page may have only one `banner` landmark, so a dialog's header must not become a second one.
        attributes: { header: { role: 'presentation' } },
        centered: false,
        yOffset: '10vh',
        overlayProps: { backgroundOpacity: 0.45 },
      },
    },
    Drawer: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
    Tooltip: {
      defaultProps: { withArrow: false, openDelay: 200, events: { hover: true, focus: true, touch: true } },
    },
    Checkbox: { defaultProps: { iconColor: 'var(--on-fill)' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    NativeSelect: { defaultProps: { size: 'sm' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Skeleton: { defaultProps: { radius: 4 } },
  },
});

/** Filled controls are dark on light pages and light on dark pages. */
function filledByScheme(input: Parameters<VariantColorsResolver>[0]): ReturnType<VariantColorsResolver> {
  if (input.variant !== 'filled') return defaultVariantColorsResolver(input);
  const [fill, text] =
    input.color === 'failure' ? ['var(--bad)', 'var(--on-fill)'] : ['var(--fill)', 'var(--on-accent)'];
  return {
    background: fill,
    hover: `color-mix(in srgb, ${fill} 86%, var(--paper))`,
    color: text,
    border: '1px solid transparent',
  };
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': 'var(--paper)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--soft)',
    '--mantine-color-placeholder': '#776d64',
    '--mantine-color-anchor': 'var(--ink)',
    '--mantine-color-error': 'var(--bad)',
    '--mantine-color-default-border': 'var(--line-strong)',
  },
  dark: {
    '--mantine-color-body': 'var(--paper)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--soft)',
    '--mantine-color-placeholder': '#978c83',
    '--mantine-color-anchor': 'var(--ink)',
    '--mantine-color-error': 'var(--bad)',
    '--mantine-color-default': '#1d1918',
    '--mantine-color-default-hover': '#2a2422',
    '--mantine-color-default-border': 'var(--line-strong)',
  },
});
