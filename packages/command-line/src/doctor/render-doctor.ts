import type { Host } from '../host.ts';
import type { DoctorReport } from './doctor-report.ts';
import type { Finding } from './finding.ts';
import type { ModelServerFinding } from './probe-model-servers.ts';

/** Most names of models that a line shows. */
const maxModels = 4;

/** The report as text for people. */
export function renderDoctor(report: DoctorReport, { programName }: Host): string {
  const answering = report.modelServers.filter(({ status }) => status === 'answers');
  const others = report.modelServers.filter(({ status }) => status !== 'answers');
  const lines = [
    ...report.findings.map(renderFinding),
    '',
    answering.length === 0 ? 'No model server answers on this machine.' : 'Model servers on this machine:',
    ...answering.flatMap(renderServer),
  ];
  if (others.length > 0) lines.push(`Looked in vain for: ${others.map(renderAbsent).join(', ')}`);
  lines.push('', `Which tools can be offered here: ${programName} tools doctor`);
  return `${lines.join('\n')}\n`;
}

function renderFinding({ name, status, isRequired, detail, hint }: Finding): string {
  const need = status !== 'ok' && isRequired ? ' (required)' : '';
  const head = `${status.padEnd(8)}${`${name}${need}`.padEnd(16)} ${status === 'ok' ? detail.padEnd(12) : detail}`;
  if (hint === null) return head.trimEnd();
  return status === 'ok' ? `${head} ${hint}` : `${head}\n${' '.repeat(25)}${hint}`;
}

function renderServer({ title, baseUrl, models, command }: ModelServerFinding): readonly string[] {
  const rest = models.length > maxModels ? `, and ${models.length - maxModels} more` : '';
  const list = models.length === 0 ? 'no model loaded' : `${models.slice(0, maxModels).join(', ')}${rest}`;
  return [`  ${title} at ${baseUrl}: ${list}`, ...(command === null ? [] : [`    ${command}`])];
}

function renderAbsent({ title, baseUrl, status }: ModelServerFinding): string {
  const { port } = new URL(baseUrl);
  return status === 'other' ? `${title} (port ${port} answers, but not as a model server)` : `${title} (port ${port})`;
}
