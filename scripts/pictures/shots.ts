/** What each picture shows. */
import type { Browser } from 'playwright-core';

/** All pictures are as wide, in pixels. */
const WIDTH = 960;
/** No higher, in pixels: what is below is not looked at. */
const MAX_HEIGHT = 760;

export interface Shot {
  /** On the forge. */
  readonly path: string;
  /** Login of whoever looks. */
  readonly as: string;
  /** What the page says once it is what is to be seen. */
  readonly says: string;
  /** Where the picture begins; default: at the top of the page. */
  readonly from?: string;
}

/** Pictures of docs/first-hour.md. */
export const FIRST_HOUR: Readonly<Record<string, Shot>> = {
  'first-hour-registration': {
    path: '/acme/blueprints/pull/1',
    as: 'alice',
    says: 'Register this repository',
  },
  'first-hour-proposal': { path: '/acme/blueprints/pull/2', as: 'alice', says: 'Needs 1 approval' },
  'first-hour-checks': { path: '/acme/blueprints/pull/2/checks', as: 'alice', says: 'portico/render' },
  'first-hour-published': { path: '/acme/blueprints/pull/2', as: 'alice', says: 'merged' },
  'first-hour-update': { path: '/acme/deploy/pull/1', as: 'alice', says: 'web to v2' },
  'first-hour-dashboard': { path: '/acme/deploy/issues', as: 'alice', says: 'dashboard' },
};

/** Waits until the page is what it is to be, and takes a picture of it, in light colours. */
export async function shoot(browser: Browser, forge: string, shot: Shot, file: string): Promise<void> {
  const page = await browser.newPage({
    viewport: { width: WIDTH, height: MAX_HEIGHT },
    colorScheme: 'light',
  });
  try {
    await page.context().addCookies([{ name: 'forge_viewer', value: shot.as, url: forge }]);
    await page.goto(forge + shot.path);
    await page.getByText(shot.says).first().waitFor();
    const top = shot.from === undefined ? 0 : ((await page.locator(shot.from).first().boundingBox())?.y ?? 0);
    const whole = await page.evaluate<number>('document.documentElement.scrollHeight');
    const height = Math.min(MAX_HEIGHT, whole - top);
    await page.screenshot({ path: file, fullPage: true, clip: { x: 0, y: top, width: WIDTH, height } });
  } finally {
    await page.close();
  }
}
