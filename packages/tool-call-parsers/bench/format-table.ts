import type { FormatFigures, SizeFigures } from './format-figures.ts';
import { textBodiedFormats } from './text-bodied-formats.ts';

const nameWidth = 18;
const rateWidth = 6;
const rateTitles = ['whole', '200', '20', '1'];
const sizeTitles = ['4 KiB', '64 KiB', '1 MiB'];
const ratioTitles = ['/JSON', '/JSON²', '200/w', '20/w', '1×w', 'ms', 'grow', 'grow1', 'eager', 'naive4', 'naive64'];

/** The two lines above {@link tableLine}. MB/s by size and delta length, then the ratios that have limits. */
export function tableHead(): string {
  const rates = rateTitles.map((title) => title.padStart(rateWidth)).join('');
  const group = (title: string): string => `  ${title.padStart(rateWidth * rateTitles.length)}`;
  return [
    `${'MB/s'.padEnd(nameWidth)}${sizeTitles.map(group).join('')}`,
    `${''.padEnd(nameWidth)}${sizeTitles.map(() => `  ${rates}`).join('')}  ${cells(ratioTitles)}  worst hostile growth`,
  ].join('\n');
}

/** One format in one line. */
export function tableLine(figures: FormatFigures): string {
  const worst = figures.hostile.reduce((left, right) => (right.growth > left.growth ? right : left));
  const naive = figures.naive.map((entry) => `${entry.readShare < 1 ? '>' : ''}${entry.timesStream.toFixed(0)}`);
  const ratios = [
    (figures.plain.whole / figures.plain.reference).toFixed(2),
    (figures.otherScripts.whole / figures.otherScripts.reference).toFixed(2),
    figures.by200ToWhole.toFixed(2),
    figures.by20ToWhole.toFixed(2),
    figures.by1TimesWhole.toFixed(1),
    figures.by1Ms.toFixed(0),
    figures.growth.toFixed(1),
    figures.by1Growth.toFixed(1),
    figures.eagerRate.toFixed(0),
    ...naive,
  ];
  const name = `${figures.format}${textBodiedFormats.has(figures.format) ? ' (t)' : ''}`;
  const hostile = `${worst.growth.toFixed(1)} ${worst.family}`;
  return `${name.padEnd(nameWidth)}${figures.sizes.map(rateCells).join('')}  ${cells(ratios)}  ${hostile}`;
}

function rateCells({ whole, by200, by20, by1 }: SizeFigures): string {
  return `  ${[whole, by200, by20, by1].map((rate) => rate.toFixed(0).padStart(rateWidth)).join('')}`;
}

function cells(texts: readonly string[]): string {
  return texts.map((text) => text.padStart(rateWidth + 1)).join('');
}
