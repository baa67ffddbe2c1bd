/// <reference lib="dom.iterable" />
/// <reference lib="dom" />
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { htmlReport, readResults } from '@kettle/benchmarks';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { madeUpResults } from './made-up-results.js';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = [process.env.CHROMIUM_PATH, ...usual].find((path) => path && existsSync(path));
if (!executablePath && process.env.CI)
  throw new Error('The page is checked in a browser: install Chromium, or say where it is in CHROMIUM_PATH.');
const skip = executablePath ? false : 'no Chromium here; install it, or say where it is in CHROMIUM_PATH';
if (skip) process.stderr.write(`The page is not checked in a browser: ${skip}\n`);

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

describe.skipIf(skip)('the page in a browser', () => {
  let browser: Browser;
  let directory: string;
  let url: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kettle-page-'));
    await writeFile(join(directory, 'report.html'), htmlReport(madeUpResults()));
    url = pathToFileURL(join(directory, 'report.html')).href;
    browser = await chromium.launch({ executablePath: executablePath!, args });
  });
  afterAll(async () => {
    await browser?.close();
    await rm(directory, { recursive: true, force: true });
  });

  async function open(width: number, colorScheme: 'light' | 'dark') {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith('file:') && !request.url().startsWith('data:'))
        complaints.push(request.url());
    });
    await page.goto(url);
    return { page, complaints };
  }

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)(
    '%i pixels, %s: nothing sticks out, plots are there, nothing complains',
    async (width, scheme) => {
      const { page, complaints } = await open(width, scheme);
      const seen = await page.evaluate(() => {
        const visible = [...document.querySelectorAll('figure svg')].filter(
          (svg) => svg.getBoundingClientRect().width > 0,
        );
        const root = document.documentElement;
        const texts = visible.flatMap((svg) => [...svg.querySelectorAll('text')]);
        return {
          overflow: root.scrollWidth - root.clientWidth,
          figures: document.querySelectorAll('figure').length,
          plots: visible.length,
          // The browser scales a picture to its frame; letters must stay legible.
          smallest: Math.min(...texts.map((text) => text.getBoundingClientRect().height)),
          outside: texts.filter((text) => {
            const [inner, outer] = [
              text.getBoundingClientRect(),
              text.closest('svg')!.getBoundingClientRect(),
            ];
            return (
              inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1
            );
          }).length,
        };
      });
      expect(seen.overflow).toBe(0);
      expect(seen.plots).toBe(seen.figures);
      expect(seen.plots).toBeGreaterThanOrEqual(9);
      expect(seen.smallest).toBeGreaterThanOrEqual(9);
      expect(seen.outside).toBe(0);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  test.each([390, 1280])('the reference at %i pixels: labels apart, ticks on every plot', async (width) => {
    const results = await readResults(fileURLToPath(new URL('../results/reference', import.meta.url)));
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    await page.setContent(htmlReport(results));
    const seen = await page.evaluate(() => {
      const overlapping: string[] = [];
      const unreadable: string[] = [];
      for (const svg of document.querySelectorAll('figure svg')) {
        if (svg.getBoundingClientRect().width === 0) continue;
        const texts = [...svg.querySelectorAll('text')].map((text) => ({
          words: text.textContent,
          box: text.getBoundingClientRect(),
        }));
        for (const [index, a] of texts.entries())
          for (const b of texts.slice(index + 1)) {
            const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
            const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
            // Boxes are as high as a line, letters are not.
            if (across > 0 && down > 4)
              overlapping.push(`${svg.getAttribute('aria-label')}: ${a.words} / ${b.words}`);
          }
        for (const axis of ['x', 'y']) {
          const count = svg.querySelectorAll(`[aria-label="${axis}-axis tick label"] text`).length;
          // A plot whose ticks are all gone still has the name of its axis.
          if (count < 2 && svg.querySelector(`[aria-label^="${axis}-axis"]`))
            unreadable.push(`${svg.getAttribute('aria-label')}: ${count} ticks on ${axis}`);
        }
      }
      const root = document.documentElement;
      return { overlapping, unreadable, overflow: root.scrollWidth - root.clientWidth };
    });
    expect(seen).toEqual({ overlapping: [], unreadable: [], overflow: 0 });
    await page.close();
  });

  test('dark is dark, light is light, and the letters stand out in both', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await open(1280, scheme);
      const [paper, ink, label] = await page.evaluate(() => {
        const lightness = (colour: string) => {
          const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        const text = document.querySelector('figure svg text')!;
        return [
          lightness(getComputedStyle(document.body).backgroundColor),
          lightness(getComputedStyle(document.body).color),
          lightness(getComputedStyle(text).fill),
        ];
      });
      expect(paper! > 128).toBe(scheme === 'light');
      expect(Math.abs(paper! - ink!)).toBeGreaterThan(150);
      expect(Math.abs(paper! - label!)).toBeGreaterThan(100);
      await page.close();
    }
  });

  test('on paper the background is white, and the figures that fold away are there', async () => {
    const { page } = await open(1280, 'dark');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const seen = await page.evaluate(() => ({
      paper: getComputedStyle(document.body).backgroundColor,
      tables: [...document.querySelectorAll('details table')].filter(
        (table) => table.getBoundingClientRect().height > 40,
      ).length,
      folded: document.querySelectorAll('details').length,
    }));
    expect(seen.paper).toBe('rgb(255, 255, 255)');
    expect(seen.tables).toBe(seen.folded);
    expect((await page.pdf({ format: 'A4' })).byteLength).toBeGreaterThan(50_000);
    await page.close();
  });

  test('the keyboard reaches the tables that scroll, and folded figures open', async () => {
    const { page } = await open(390, 'light');
    await page.locator('summary').first().click();
    expect(await page.locator('details table').first().isVisible()).toBe(true);
    expect(await page.locator('.scroll:not([tabindex="0"])').count()).toBe(0);
    await page.close();
  });
});
