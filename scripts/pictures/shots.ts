/** What each picture shows. */
import type { Browser, Page } from 'playwright-core';

/** All pictures are as wide, in pixels. */
const WIDTH = 960;
/** No higher, in pixels: a page is read beside them. */
const MAX_HEIGHT = 720;
/** Around what is shown, in pixels. */
const MARGIN = 12;

export interface Shot {
  /** On the forge. */
  readonly path: string;
  /** Login of whoever looks. */
  readonly as: string;
  /** Names of links that are followed from there: numbers of pull requests and issues are not the same each time. */
  readonly follow: readonly string[];
  /** What the page says once it is what is to be seen. */
  readonly says: string;
  /** The first element that is shown; default: the top of the page. */
  readonly from?: string;
  /** The last one; default: as much as there is room for. */
  readonly to?: string;
}

/** The title of a pull request or issue. */
const TITLE = 'h1';

/** Pictures of docs/first-hour.md. */
export const FIRST_HOUR: Readonly<Record<string, Shot>> = {
  'first-hour-registration': {
    path: '/acme/blueprints/pulls',
    follow: ['Register this repository with Portico'],
    as: 'alice',
    says: 'Register this repository',
    to: 'article li >> nth=0',
  },
  'first-hour-proposal': {
    path: '/acme/blueprints/pulls?state=all',
    follow: ['Green'],
    as: 'bob',
    says: 'Needs 1 approval',
    from: TITLE,
    to: 'article >> nth=1',
  },
  'first-hour-checks': {
    path: '/acme/blueprints/pulls',
    follow: ['Green', 'Checks'],
    as: 'bob',
    says: 'portico/render',
    from: 'text=Checks on',
    to: '[id^=run-] >> nth=0',
  },
  'first-hour-published': {
    path: '/acme/blueprints/pulls?state=all',
    follow: ['Green'],
    as: 'alice',
    says: 'Published',
    from: TITLE,
    to: 'article >> nth=1',
  },
  'first-hour-update': {
    path: '/acme/deploy/pulls',
    follow: ['Update web to upstream v2'],
    as: 'bob',
    says: 'Update web to upstream v2',
    from: TITLE,
    to: 'article >> nth=0',
  },
  'first-hour-dashboard': {
    path: '/acme/deploy/issues',
    as: 'bob',
    follow: ['Portico dashboard'],
    says: 'Waits for a review',
    from: TITLE,
    to: 'article >> nth=0',
  },
};

/** Waits until the page is what it is to be, and takes a picture of it, in light colours. */
export async function shoot(browser: Browser, forge: string, shot: Shot, file: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 100 }, colorScheme: 'light' });
  try {
    await page.context().addCookies([{ name: 'forge_viewer', value: shot.as, url: forge }]);
    await page.goto(forge + shot.path);
    for (const name of shot.follow) await page.getByRole('link', { name, exact: true }).click();
    await page.getByText(shot.says).first().waitFor();
    const top = shot.from === undefined ? 0 : (await edges(page, shot.from)).top - MARGIN;
    const bottom = shot.to === undefined ? top + MAX_HEIGHT : (await edges(page, shot.to)).bottom + MARGIN;
    const height = Math.min(MAX_HEIGHT, bottom - top);
    await page.screenshot({ path: file, fullPage: true, clip: { x: 0, y: top, width: WIDTH, height } });
  } finally {
    await page.close();
  }
}

/** Where an element begins and ends on its page, in pixels from the top. */
async function edges(
  page: Page,
  selector: string,
): Promise<{ readonly top: number; readonly bottom: number }> {
  const box = await page.locator(selector).first().boundingBox();
  const scrolled = await page.evaluate<number>('window.scrollY');
  if (box === null) throw new Error(`${page.url()} shows no ${selector}`);
  return { top: box.y + scrolled, bottom: box.y + scrolled + box.height };
}
