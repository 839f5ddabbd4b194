/**
 * Opens the stores for a command: those of the running product, those of the settings, or the data folder's own,
 * started for the duration of the command.
 */
import type { Services } from '#http/edge/services.ts'
import { connect, natsAddress, type Connections } from '#config/state/connect.ts'
import { build } from '#config/wiring/container.ts'
import { runningInstance, type Run, type Stores } from '#config/embedded/stores.ts'
import { ownStores } from '#config/state/own-stores.ts'
import { urlsOf } from './product.ts'
import { services } from '#config/wiring/services.ts'
import { readSettings, type Settings } from '#config/settings/settings.ts'
import { stderrLog } from '#config/process/report.ts'
import { applyStreamUsers, askStreamUsers } from '#config/state/stream-users.ts'

export interface Instance {
  connections: Connections
  settings: Settings
  /** The product on these stores, built at the first call. */
  product: () => ReturnType<typeof build>
  /** What route handlers use, for an organization. */
  services: (orgId: string) => Services
  /** Whether a product runs on these stores, so that events are consumed without this process. */
  isRunning: boolean
  /** Address of its edge, if known. */
  url: string | undefined
  /** Address under which people reach it, if known. */
  publicUrl: string | undefined
  /** NATS servers for producers, separated by commas, without credentials. */
  natsUrl: string
  /** Address of ClickHouse for analysts; undefined unless an edge runs on this data folder. */
  analystsUrl?: string | undefined
  /** Applies changed users to NATS. False if NATS is the operator's own, who must change its configuration. */
  applyStreamUsers: () => Promise<boolean>
}

/** Runs a command's work with the stores, and closes the connections afterwards. */
export async function withInstance<T>(work: (instance: Instance) => Promise<T>): Promise<T> {
  const settings = readSettings()
  const report = stderrLog('warn')
  const run = runningInstance(settings.dataDir)
  const known = { settings, url: undefined, publicUrl: settings.publicUrl }
  const isExternal = settings.postgresUrl && settings.natsUrl && settings.clickhouseUrl
  if (run?.postgresUrl && run.natsUrl && run.clickhouseUrl) {
    const lanes = Number(run['lanes'] ?? settings.lanes)
    const urls = {
      postgres: run.postgresUrl,
      nats: run.natsUrl,
      clickhouse: run.clickhouseUrl,
      ...(!settings.clickhouseUrl && { database: 'tidemark' }),
    }
    const connections = await connect({ ...settings, lanes }, urls, report)
    const url = readText(run, 'url')
    const publicUrl = readText(run, 'publicUrl') ?? settings.publicUrl ?? url
    const natsUrl = natsAddress(urls.nats)
    const analystsUrl = readText(run, 'analystsUrl')
    const where = { url, publicUrl, natsUrl, analystsUrl, applyStreamUsers: () => applyUsers(connections) }
    return closing(connections, () => work({ ...known, ...where, ...assembleProduct(connections), isRunning: true }))
  }
  if (isExternal) {
    const urls = { postgres: settings.postgresUrl!, nats: settings.natsUrl!, clickhouse: settings.clickhouseUrl! }
    const connections = await connect(settings, urls, report)
    const where = { natsUrl: natsAddress(urls.nats), applyStreamUsers: () => applyUsers(connections) }
    return closing(connections, () => work({ ...known, ...where, ...assembleProduct(connections), isRunning: true }))
  }
  const stores = await ownStores(settings, report)
  try {
    const connections = await connect(settings, urlsOf(stores), report)
    const natsUrl = natsAddress(stores.nats.url)
    const applyStreamUsers = () => applyUsers(connections, stores.nats)
    const instance = { ...known, ...assembleProduct(connections), isRunning: false, natsUrl, applyStreamUsers }
    return await closing(connections, () => work(instance))
  } finally {
    await stores.stop()
  }
}

/** Builds the product at the first call. */
export function assembleProduct(connections: Connections): Pick<Instance, 'connections' | 'product' | 'services'> {
  let built: ReturnType<typeof build> | undefined
  const product = () => (built ??= build(connections))
  return {
    connections,
    product,
    services: (orgId) => services(connections, (what) => product().get(what), product().site, { orgId }),
  }
}

const readText = (run: Run, name: string): string | undefined => (typeof run[name] === 'string' ? run[name] : undefined)

/** This process creates the consumers; the accounts are written by the process that runs the NATS server. */
async function applyUsers(connections: Connections, server?: Stores['nats']): Promise<boolean> {
  await applyStreamUsers(connections, server?.setUsers)
  return server?.setUsers !== undefined || askStreamUsers(connections)
}

async function closing<T>(connections: Connections, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await connections.close()
  }
}
