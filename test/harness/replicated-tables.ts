/**
 * Runs statements, one for each line of the input as a JSON string, on a ClickHouse engine with a coordination service
 * in memory. The engine is not a server, so other servers cannot reach its tables, and nothing can be inserted. Prints
 * a line of JSON: the errors, and the engines of the tables.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Session } from 'chdb'

const folder = mkdtempSync(path.join(tmpdir(), 'replicated-'))
const config = path.join(folder, 'config.xml')
writeFileSync(
  config,
  `<clickhouse>
    <zookeeper><implementation>testkeeper</implementation><node><host>127.0.0.1</host><port>1</port></node></zookeeper>
    <macros><replica>one</replica></macros>
    <default_replica_path>/tables/{database}/{table}</default_replica_path>
    <default_replica_name>{replica}</default_replica_name>
  </clickhouse>`,
)
const session = new Session(path.join(folder, 'data'), { connectionArgs: [`--config-file=${config}`] })
session.query('CREATE DATABASE t ENGINE = Atomic; USE t')
const errors: string[] = []
for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  try {
    session.query(JSON.parse(line) as string)
  } catch (error) {
    errors.push(`${line.slice(0, 200)}: ${String(error)}`)
  }
}
const found = String(
  session.query(`SELECT engine, count() FROM system.tables WHERE database = 't' GROUP BY engine`, 'TSV'),
)
process.stdout.write(JSON.stringify({ errors, engines: found.trim().split('\n').toSorted() }), () => {
  rmSync(folder, { recursive: true, force: true })
  // The tables wait for their replicas, and closing would wait for them.
  process.kill(process.pid, 'SIGKILL')
})
