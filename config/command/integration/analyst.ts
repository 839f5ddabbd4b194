import { organizationTables } from '#analytics/store/tenancy.ts'
import { command } from '#config/command/line/build.ts'
import { analystRole, orgPrefix, ownSystemTables, policyOf } from '#config/embedded/clickhouse/users.ts'

const database = 'tidemark'

/** What lets analysts ask a ClickHouse of the operator's; `config/deploy/clickhouse-analyst.sql` is this. */
const analystRights = (): string => `\
-- Gives analysts access to this ClickHouse through the edges, limited to their own organization. Replace PASSWORD and run it as
-- a user with access management, and again after every upgrade that added tables. It assumes that both the database and the
-- service user are named ${database}. Then configure the edges: CLICKHOUSE_ANALYSTS_URL=http://${user}:PASSWORD@HOST:8123
-- Printed by \`tidemark analyst rights\` from the existing tables.
--
-- The current database determines the visible rows: all rows in the database of the service, rows of one organization in
-- ${orgPrefix}<id>. The edges create those databases and their views, which run as the service user (SQL SECURITY DEFINER).
${organizationTables().map(policy).join('\n')}

-- The edges validate every statement and apply these limits or lower ones. readonly is 2 because they set the output format.
CREATE SETTINGS PROFILE OR REPLACE ${analystRole} SETTINGS readonly = 2, max_execution_time = 10 MAX 10,
  max_memory_usage = 268435456 MAX 268435456, max_result_rows = 100000 MAX 100000, max_threads = 2 MAX 2,
  max_block_size = 1024 MAX 1024, function_range_max_elements_in_block = 10000000 MAX 10000000;
-- No access to tables or to system: requires select_from_system_db_requires_grant, which is the default configuration.
CREATE USER OR REPLACE ${user} IDENTIFIED WITH sha256_password BY 'PASSWORD' SETTINGS PROFILE '${analystRole}';
GRANT SELECT ON ${orgPrefix}*.* TO ${user};
-- That grant alone would list the databases of all organizations; these policies restrict it to the current one.
${Object.entries(ownSystemTables).map(ofSystem).join('\n')}

-- The service creates the databases, and the views run with its rights.
GRANT CREATE DATABASE, CREATE VIEW, DROP DATABASE, SELECT ON ${orgPrefix}*.* TO ${database};
GRANT SET DEFINER ON ${database} TO ${database};
`

const user = 'tidemark_analyst'

const ofSystem = ([name, own]: [string, string]): string =>
  `CREATE ROW POLICY OR REPLACE organization ON system.${name} USING ${own} TO ${user};`

const policy = (table: ReturnType<typeof organizationTables>[number]): string =>
  `CREATE ROW POLICY OR REPLACE organization ON ${database}.${table.name} USING ${policyOf(table, database)} TO ALL;`

export const analystRightsCommand = command({
  name: 'analyst rights',
  summary: 'Print the SQL that gives analysts access to your own ClickHouse, limited to their organization',
  takes: {},
  run: () => {
    const sql = analystRights().trimEnd()
    return { data: { sql }, text: sql }
  },
})
