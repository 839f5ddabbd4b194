/** The stores: where they are, and how they keep what they are given. */
import { mainShard } from '#engine/store/clickhouse/shards.ts'
import { serverUrls } from '#engine/store/postgres/primary.ts'
import { socketProtocol } from '#config/embedded/clickhouse/address.ts'
import { address, addresses, list, setting, text, wholeNumber, yes } from './setting.ts'

/** One address that may name several servers. */
function postgresServers(value: string): string {
  const one = address('postgres:', 'postgresql:')
  for (const url of serverUrls(value)) one(url)
  return value
}

const clickhouseAddress = address('http:', 'https:', socketProtocol)

function shardList(value: string): string[] {
  const shards = list(value)
  const names = new Set<string>()
  for (const one of shards) {
    const [, name, url] = /^([a-z0-9-]{1,32})=(.+)$/.exec(one) ?? []
    if (name === undefined || url === undefined)
      throw new Error('must be NAME=ADDRESS, separated by commas; names have 1 to 32 of a-z, 0-9 and -')
    if (name === mainShard) throw new Error(`must not name ${mainShard}, which is the server of CLICKHOUSE_URL`)
    if (names.has(name)) throw new Error(`must not name ${name} twice`)
    names.add(name)
    clickhouseAddress(url)
  }
  return shards
}

/** The address of each ClickHouse server other than that of `CLICKHOUSE_URL`, by name. */
export const shardAddresses = (shards: readonly string[]): Map<string, string> =>
  new Map(
    shards.map((one) => {
      const end = one.indexOf('=')
      return [one.slice(0, end), one.slice(end + 1)]
    }),
  )

const none = undefined as string | undefined

export const storeSettings = {
  postgresUrl: setting(
    'POSTGRES_URL',
    none,
    '',
    'PostgreSQL to use instead of the embedded one; several servers separated by commas (postgresql://USER:PASSWORD@a:5432,b:5432/DATABASE) if the primary moves between them.',
    postgresServers,
  ),
  natsUrl: setting(
    'NATS_URL',
    none,
    '',
    'NATS servers to use instead of the embedded one, separated by commas; they must map ingest subjects to lanes.',
    addresses('nats:', 'tls:', 'ws:', 'wss:'),
  ),
  clickhouseUrl: setting(
    'CLICKHOUSE_URL',
    none,
    '',
    'ClickHouse to use instead of the embedded one, with user, password and database.',
    clickhouseAddress,
  ),
  clickhouseShards: setting(
    'CLICKHOUSE_SHARDS',
    [] as string[],
    '',
    'More ClickHouse servers, as NAME=ADDRESS separated by commas; each organization is on one of them or on the server of `CLICKHOUSE_URL`, which is named main.',
    shardList,
  ),
  clickhouseReplicated: setting(
    'CLICKHOUSE_REPLICATED',
    false,
    '',
    'Whether tables in ClickHouse are created as replicated ones; the database must have the engine Replicated.',
    yes,
  ),
  clickhouseAnalystsUrl: setting(
    'CLICKHOUSE_ANALYSTS_URL',
    none,
    '',
    'The same ClickHouse with the user from `tidemark analyst rights`, for analyst queries; without it, analyst access is disabled.',
    address('http:', 'https:'),
  ),
  storesWait: setting(
    'TIDEMARK_STORES_WAIT',
    60,
    'seconds',
    'How long startup waits for an unavailable store before giving up.',
    wholeNumber(0, 3600),
  ),
  natsServerBin: setting('NATS_SERVER_BIN', none, '', 'Path of the nats-server binary.', text),
  searchPath: setting('PATH', '', '', 'Folders to search for nats-server.', text),
  streamReplicas: setting(
    'TIDEMARK_STREAM_REPLICAS',
    undefined as number | undefined,
    '',
    'Servers of a NATS cluster that store each stream, usually 3; existing streams are changed at the next start; default: 1 for new streams, and no change of existing ones.',
    wholeNumber(1, 5),
  ),
}
