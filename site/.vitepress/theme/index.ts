/** The theme of VitePress, with diagrams drawn where pages have Mermaid's text, as the forge does. */
import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';

import Diagram from './Diagram.vue';

// oxlint-disable-next-line import/no-default-export -- VitePress reads it
export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Diagram', Diagram),
} satisfies Theme;
