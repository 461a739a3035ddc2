// Draws docs/floors.svg from the manifests: one row per floor, one room per package.
// `--check` fails where the picture in the repository is another than the one that would be drawn.
import { readFileSync, writeFileSync } from 'node:fs';
import { readWorkspace, type WorkspacePackage } from './workspace.ts';

const outputFile = 'docs/floors.svg';
const floorNames = ['kernel', 'pure', 'port', 'engine', 'domain', 'product', 'app'];
const room = { width: 150, height: 34, gap: 14 };
const left = 110;
const rowHeight = 78;

function drawRoom(entry: WorkspacePackage, column: number, y: number): string {
  const x = left + column * (room.width + room.gap);
  const label = entry.name.replace('@talaria/', '');
  return [
    `<rect x="${x}" y="${y}" width="${room.width}" height="${room.height}" rx="6" class="room"/>`,
    `<text x="${x + room.width / 2}" y="${y + 22}" text-anchor="middle" class="name">${label}</text>`,
  ].join('\n');
}

function drawFloor(floor: number, entries: readonly WorkspacePackage[], top: number, width: number): string {
  const rooms = entries.map((entry, column) => drawRoom(entry, column, top + 22));
  return [
    `<rect x="0" y="${top}" width="${width}" height="${rowHeight}" class="floor${floor % 2}"/>`,
    `<text x="16" y="${top + 36}" class="number">${floor}</text>`,
    `<text x="16" y="${top + 54}" class="kind">${floorNames[floor]}</text>`,
    ...rooms,
  ].join('\n');
}

function draw(): string {
  const packages = readWorkspace(process.cwd()).filter((entry) => entry.floor !== null);
  const floors = floorNames.map((_, floor) => packages.filter((entry) => entry.floor === floor));
  const columns = Math.max(...floors.map((entries) => entries.length));
  const width = left + columns * (room.width + room.gap) + room.gap;
  const height = floors.length * rowHeight;
  const rows = floors.map((entries, floor) =>
    drawFloor(floor, entries, (floors.length - 1 - floor) * rowHeight, width),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Talaria's packages by floor">
<style>
.floor0 { fill: #f4f1ea } .floor1 { fill: #fbfaf6 } .room { fill: #fff; stroke: #8a6d3b; stroke-width: 1.2 }
.name { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #2b2416 } .number { font: bold 18px ui-sans-serif, system-ui, sans-serif; fill: #8a6d3b }
.kind { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #6b5c40 }
</style>
${rows.join('\n')}
</svg>
`;
}

if (process.argv.includes('--check')) {
  if (readFileSync(outputFile, 'utf8') !== draw()) {
    console.error(`${outputFile} does not show today's packages: run \`pnpm draw:floors\`.`);
    process.exitCode = 1;
  }
} else {
  writeFileSync(outputFile, draw());
}
