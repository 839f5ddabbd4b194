/** Every file that is generated from the code and checked in. `npm run generate` writes them. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { routes } from '#http/index.ts'
import { toolsOf, type Tool } from '#http/mcp/tool.ts'
import { analyticsReference } from '#config/analyst/reference.ts'
import { analystRightsCommand } from '#config/command/integration/analyst.ts'
import { overview } from '#config/command/line/help.ts'
import { commandReference } from '#config/command/line/reference.ts'
import { valuesTable } from '#config/tools/chart/values.ts'
import { retentionTable } from '#config/upkeep/retention/table.ts'
import { quotaTable } from '#config/wiring/quotas.ts'
import { root } from '#config/process/root.ts'
import { envExample, settingsTable } from '#config/settings/settings-document.ts'
import { page } from '#test/actors/recommendation/page.ts'
import { diagrams } from '#test/harness/machines.ts'
import { retryPage } from '#test/streams/retry-page.ts'

/** Their texts by path. Of a guide with a generated table, the guide as it is with that table. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const { text: rights } = await analystRightsCommand.run({ values: {}, positionals: [], isJson: false, args: [] })
  return new Map([
    ['.env.example', envExample()],
    ['docs/analytics-reference.md', analyticsReference()],
    ['docs/commands.md', commandReference()],
    ['docs/command-line.md', withBlock('docs/command-line.md', 'commands', `\`\`\`text\n${overview()}\n\`\`\``)],
    ['docs/producers.md', withExamples('docs/producers.md')],
    ['docs/configure.md', withBlock('docs/configure.md', 'settings', settingsTable())],
    ['docs/quotas.md', withBlock('docs/quotas.md', 'quotas', quotaTable())],
    ['docs/retention.md', withBlock('docs/retention.md', 'retention', retentionTable())],
    ['docs/install.md', withBlock('docs/install.md', 'values', valuesTable())],
    ['docs/agents.md', withBlock('docs/agents.md', 'tools', toolTable())],
    ...[...diagrams].map(([page, diagram]) => [page, withBlock(page, 'states', diagram)] as const),
    ['docs/rules.md', page()],
    ['docs/retries.md', retryPage()],
    ['config/deploy/clickhouse-analyst.sql', `${rights}\n`],
  ])
}

function withBlock(file: string, name: string, block: string): string {
  const text = readFileSync(path.join(root, file), 'utf8')
  const [begin, end] = [`<!-- ${name} -->\n`, `\n<!-- /${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has no ${begin.trim()} ... ${end.trim()}`)
  return text.slice(0, from + begin.length) + block + text.slice(to)
}

/** A guide with the programs that it names. */
function withExamples(file: string): string {
  const fences: Readonly<Record<string, string>> = { '.mjs': 'js', '.py': 'python', '.go': 'go' }
  const text = readFileSync(path.join(root, file), 'utf8')
  return text.replaceAll(/(<!-- (examples\/\S+) -->\n)[^]*?(<!-- \/\2 -->)/g, (_, begin, name, end) => {
    const program = readFileSync(path.join(root, 'docs', name as string), 'utf8')
    return `${begin}\`\`\`${fences[path.extname(name as string)]}\n${program}\`\`\`\n${end}`
  })
}

function toolTable(): string {
  const row = ({ name, route, isWrite }: Tool) =>
    `| \`${name}\` | ${route.summary}${isWrite ? ' (requires `confirm`)' : ''} |`
  return ['| tool | what it does |', '|---|---|', ...[...toolsOf(routes).values()].map(row)].join('\n')
}
