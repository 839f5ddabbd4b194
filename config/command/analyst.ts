import { organizationTables } from '#analytics/store/tenancy.ts'
import type { Command } from '#config/command/command.ts'
import { analystRole, orgPrefix, ownSystemTables, policyOf } from '#config/embedded/users.ts'

const database = 'tidemark'

/** What lets analysts ask a ClickHouse of the operator's; `config/deploy/clickhouse-analyst.sql` is this. */
const analystRights = (): string => `\
-- What lets analysts ask this ClickHouse by the port of the edges, each their own organization. Run as a user with access
-- management, with a password for PASSWORD, again after every upgrade that added tables. The database is ${database} and so is
-- the service's user. Then tell the edges: CLICKHOUSE_ANALYSTS_URL=http://${user}:PASSWORD@HOST:8123
-- Printed by \`tidemark analyst rights\` from the tables there are.
--
-- Whose rows are seen follows from the database one asks in: all in the service's, those of one organization in ${orgPrefix}<id>, which
-- the edges make and fill with views that run as the service (SQL SECURITY DEFINER).
${organizationTables().map(policy).join('\n')}

-- The edges check every statement, and give it these limits or less; they set how answers are written, so readonly is 2.
CREATE SETTINGS PROFILE OR REPLACE ${analystRole} SETTINGS readonly = 2, max_execution_time = 10 MAX 10,
  max_memory_usage = 268435456 MAX 268435456, max_result_rows = 100000 MAX 100000, max_threads = 2 MAX 2,
  max_block_size = 1024 MAX 1024, function_range_max_elements_in_block = 10000000 MAX 10000000;
-- No table, nothing of system: its configuration must say select_from_system_db_requires_grant, as the default one does.
CREATE USER OR REPLACE ${user} IDENTIFIED WITH sha256_password BY 'PASSWORD' SETTINGS PROFILE '${analystRole}';
GRANT SELECT ON ${orgPrefix}*.* TO ${user};
-- That lets it list the databases of all organizations; it sees the one it asks in.
${Object.entries(ownSystemTables).map(ofSystem).join('\n')}

-- The service makes the databases and lends the views its rights.
GRANT CREATE DATABASE, CREATE VIEW, DROP DATABASE, SELECT ON ${orgPrefix}*.* TO ${database};
GRANT SET DEFINER ON ${database} TO ${database};
`

const user = 'tidemark_analyst'

const ofSystem = ([name, own]: [string, string]): string =>
  `CREATE ROW POLICY OR REPLACE organization ON system.${name} USING ${own} TO ${user};`

const policy = (table: ReturnType<typeof organizationTables>[number]): string =>
  `CREATE ROW POLICY OR REPLACE organization ON ${database}.${table.name} USING ${policyOf(table, database)} TO ALL;`

export const analystRightsCommand: Command = {
  name: 'analyst rights',
  summary: 'Print the SQL that lets analysts ask a ClickHouse of your own, each their own organization',
  usage: 'tidemark analyst rights',
  options: {},
  about: {},
  run: async () => {
    const sql = analystRights().trimEnd()
    return { data: { sql }, text: sql }
  },
}
