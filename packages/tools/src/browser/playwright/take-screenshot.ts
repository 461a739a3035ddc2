import type { Page } from 'playwright-core';
import { isInteractive, parseSnapshotLine } from '../snapshot/snapshot-line.ts';

/** Where an element is, in pixels of the visible part. */
interface Label {
  readonly ref: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Labels that are drawn. */
const maxLabels = 200;
const labelsId = 'talaria-labels';

/** The visible part of a page as PNG; annotated, with the refs of its elements. */
export async function takeScreenshot(page: Page, isAnnotated: boolean, signal: AbortSignal): Promise<Uint8Array> {
  if (!isAnnotated) return page.screenshot({ type: 'png', signal, timeout: 0 });
  const snapshot = await page.ariaSnapshot({ mode: 'ai', boxes: true, timeout: 0, signal });
  await page.evaluate(drawScript(labelsOf(snapshot)));
  try {
    return await page.screenshot({ type: 'png', signal, timeout: 0 });
  } finally {
    if (!page.isClosed()) await page.evaluate(`document.getElementById('${labelsId}')?.remove()`);
  }
}

/** Elements of frames are left out, since their places are those within the frame. */
function labelsOf(snapshot: string): readonly Label[] {
  const labels = snapshot.split('\n').flatMap((line) => {
    const parsed = parseSnapshotLine(line);
    const box = /\[box=(-?[\d.]+),(-?[\d.]+),([\d.]+),([\d.]+)\]/.exec(line);
    if (box === null || parsed.ref === null || parsed.ref.startsWith('f') || !isInteractive(parsed)) return [];
    const [left = 0, top = 0, width = 0, height = 0] = box.slice(1).map(Number);
    return width > 0 && height > 0 ? [{ ref: parsed.ref, left, top, width, height }] : [];
  });
  return labels.slice(0, maxLabels);
}

function drawScript(labels: readonly Label[]): string {
  return `((labels) => {
    const layer = document.createElement('div');
    layer.id = '${labelsId}';
    layer.setAttribute('aria-hidden', 'true');
    layer.style.cssText = 'position:fixed;inset:0;z-index:2147483647;pointer-events:none';
    for (const { ref, left, top, width, height } of labels) {
      const frame = document.createElement('div');
      frame.style.cssText = 'position:absolute;border:2px solid #d00;box-sizing:border-box;left:' + left + 'px;top:' + top + 'px;width:' + width + 'px;height:' + height + 'px';
      const label = document.createElement('span');
      label.textContent = '@' + ref;
      label.style.cssText = 'position:absolute;left:0;top:0;background:#d00;color:#fff;font:bold 11px monospace;padding:0 2px';
      frame.append(label);
      layer.append(frame);
    }
    document.documentElement.append(layer);
  })(${JSON.stringify(labels)})`;
}
