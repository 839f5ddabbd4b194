import { readdirSync, readFileSync } from 'node:fs'
import type { Command } from '#config/command/command.ts'

/** Written and read by the rollup alone: whoever asks a view does not need them. */
const inner = new Set(['cost_line_day', 'bill_row'])

const textsOf = (folder: string): string[] => {
  const at = new URL(`../../analytics/${folder}/`, import.meta.url)
  return readdirSync(at)
    .toSorted()
    .map((name) => readFileSync(new URL(name, at), 'utf8'))
}

interface Table {
  name: string
  /** The column that says whose a row is. */
  of: string
}

/** Tables that hold rows of organizations, as their files create them. */
const tablesOf = (texts: readonly string[]): Table[] =>
  texts.flatMap((text) => {
    const [, name] = /^CREATE TABLE IF NOT EXISTS (\w+)/m.exec(text) ?? []
    const [of] = /\b(?:org_id|x_OrgId)\b/.exec(text) ?? []
    return name === undefined || of === undefined || inner.has(name) ? [] : [{ name, of }]
  })

const viewsOf = (texts: readonly string[]): string[] =>
  texts.map((text) => /^CREATE OR REPLACE VIEW (\w+) AS$/m.exec(text)![1]!).filter((name) => !inner.has(name))

/** What makes a user of ClickHouse who may read one organization; `config/deploy/clickhouse-analyst.sql` is this. */
function analystRights(): string {
  const tables = tablesOf(textsOf('tables'))
  const readable = [...viewsOf(textsOf('views')), ...tables.map(({ name }) => name)]
  return `\
-- A user who may read one organization and nothing else. Run as a user with access management, with the organization's id
-- for ORG and a password for PASSWORD. The database is tidemark and so is the service's user.
-- Printed by \`tidemark analyst rights\` from the tables and views there are.
--
-- The views run with the rights of whoever asks (SQL SECURITY INVOKER, the default), so the policies stand on the tables
-- below them. Once a table has a policy, who has none there may see no row: these keep the service seeing all of them.
${tables.map(({ name }) => `CREATE ROW POLICY OR REPLACE service ON tidemark.${name} USING 1 TO tidemark;`).join('\n')}

-- readonly = 1 refuses settings too: a driver that must set some needs 2.
CREATE SETTINGS PROFILE OR REPLACE analyst
  SETTINGS readonly = 1, max_execution_time = 10, max_memory_usage = 1073741824, max_result_rows = 100000, max_threads = 2;
CREATE ROLE OR REPLACE analyst SETTINGS PROFILE 'analyst';
${readable.map((name) => `GRANT SELECT ON tidemark.${name} TO analyst;`).join('\n')}

-- For each organization:
CREATE USER OR REPLACE \`analyst_ORG\` IDENTIFIED WITH sha256_password BY 'PASSWORD';
GRANT analyst TO \`analyst_ORG\`;
${tables.map(({ name, of }) => `CREATE ROW POLICY OR REPLACE \`ORG\` ON tidemark.${name} USING ${of} = 'ORG' TO \`analyst_ORG\`;`).join('\n')}
CREATE QUOTA OR REPLACE \`analyst_ORG\` KEYED BY user_name FOR INTERVAL 1 hour MAX queries = 3600, execution_time = 1800 TO \`analyst_ORG\`;
`
}

export const analystRightsCommand: Command = {
  name: 'analyst rights',
  summary: 'Print the SQL that makes a ClickHouse user who may read one organization',
  usage: 'tidemark analyst rights',
  options: {},
  about: {},
  run: async () => {
    const sql = analystRights().trimEnd()
    return { data: { sql }, text: sql }
  },
}
