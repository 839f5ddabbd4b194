import { inProcess } from '#test/harness/command-line.ts'
import { testFolder, testLanes, testStores } from '#test/harness/stores.ts'

/** Runs a command beside the running product, on its stores, as an operator would. Resolves with what `--json` prints. */
export async function tidemark(...args: string[]): Promise<any> {
  const { stdout } = await commanded(...args, '--json')
  return JSON.parse(stdout)
}

/** The same with what it prints for people. Rejects where it ends with another code than 0. */
export const commanded = (...args: string[]): Promise<Printed> => commandedIn(testFolder(), ...args)

interface Printed {
  stdout: string
  stderr: string
}

/** The same with a data folder that is kept from one command to the next. */
export const commandedIn = (folder: string, ...args: string[]): Promise<Printed> => inFolder(folder, {}, ...args)

/** The environment of such a command. */
export async function commandEnv(folder: string): Promise<NodeJS.ProcessEnv> {
  const { postgres, nats, clickhouse } = await testStores()
  return {
    ...process.env,
    TIDEMARK_DATA_DIR: folder,
    TIDEMARK_LANES: String(testLanes),
    TIDEMARK_TEST_HOOKS: '1',
    ALLOW_PRIVATE_ADDRESSES: '1',
    POSTGRES_URL: postgres.url,
    NATS_URL: nats.url,
    CLICKHOUSE_URL: `${clickhouse.url}/${clickhouse.database}`,
    CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
}

/** The same with more settings. */
export async function inFolder(folder: string, settings: NodeJS.ProcessEnv, ...args: string[]): Promise<Printed> {
  const ended = await inProcess({ ...(await commandEnv(folder)), ...settings }, ...args)
  if (ended.code === 0) return ended
  throw Object.assign(new Error(`tidemark ${args.join(' ')} ended with ${ended.code}: ${ended.stderr}`), ended)
}

/** The cells of a printed table, without its header. */
export const rowsOf = (stdout: string): string[][] =>
  stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/))
