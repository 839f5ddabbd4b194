/** Generates docs/analytics-reference.md: every view that analysts can query, with its columns and parameters. */
import { viewColumns, viewGroups } from '#http/identity/token/analyst-view.ts'
import { askedViews } from '#analytics/store/tenancy.ts'
import { plainColumns } from '#config/analyst/column.ts'
import { columnDescription, descriptions, parametersOf, viewDescription } from '#config/analyst/description.ts'

const head = `# Analytics reference

Every view that analysts can query in ClickHouse, with its columns. How to connect, limits, permissions and example queries are in [analytics](analytics.md). The same descriptions are comments in ClickHouse:

\`\`\`sql
SELECT name, comment FROM system.tables ORDER BY name
SELECT name, type, comment FROM system.columns WHERE table = 'cost_daily'
\`\`\`

Printed by \`npm run -s generate\` from \`config/analyst/descriptions.json\` and \`config/analyst/column-types.json\`.

A view with parameters is queried like a function, with all of its parameters: \`SELECT * FROM resource_tags(org = '…')\`. ClickHouse lists no columns of such a view; its comment names its parameters and columns.
`

export function analyticsReference(): string {
  const views = askedViews().toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return [head, parameterTable(), ...views.map(({ name, select }) => section(name, parametersOf(select)))].join('\n')
}

function parameterTable(): string {
  const rows = Object.entries(descriptions.parameters).map(([name, about]) => `| \`${name}\` | ${about} |`)
  return ['## Parameters', '', '| parameter | meaning |', '|---|---|', ...rows, ''].join('\n')
}

function section(view: string, parameters: readonly [string, string][]): string {
  const { needs } = viewGroups.find(({ views }) => views.includes(view))!
  const columns = plainColumns(view).map(({ name, type }) => {
    const more = viewColumns.find((one) => one.view === view && one.column === name)
    const about = columnDescription(view, name) + (more ? `; needs \`${more.needs}\`` : '')
    return `| \`${name}\` | ${type} | ${about} |`
  })
  const shown = parameters.map(([name, type]) => `\`${name}\` ${type}`).join(', ')
  return [
    `## ${view}`,
    '',
    `${viewDescription(view)}. Needs ${needs.map((need) => `\`${need}\``).join(' and ')}.`,
    '',
    ...(shown === '' ? [] : [`Parameters: ${shown}.`, '']),
    '| column | type | meaning |',
    '|---|---|---|',
    ...columns,
    '',
  ].join('\n')
}
