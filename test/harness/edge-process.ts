/** An edge as a process of its own on the stores of a chaos world, and commands typed there. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { root } from '#config/root.ts'
import type { ChaosWorld } from '#test/harness/chaos.ts'
import { answerOf, type Answer } from '#test/harness/product.ts'
import { inherited, testFolder, testLanes } from '#test/harness/stores.ts'

const main = path.join(root, 'config/main.ts')

/** An organization of the world, its owner's token, and requests with it. */
export interface EdgeOrg {
  orgId: string
  send: <T = any>(method: string, to: string, body?: unknown) => Promise<Answer<T>>
  get: <T = any>(to: string) => Promise<Answer<T>>
}

export interface EdgeProcess {
  url: string
  org(name: string): Promise<EdgeOrg>
  end(): void
}

/** Starts it. `settings` are those of the engines of the world too. */
export async function edgeProcess(world: ChaosWorld, settings: Readonly<Record<string, string>>): Promise<EdgeProcess> {
  const { postgres, nats, clickhouse } = world.stores
  const env = {
    ...inherited,
    ...settings,
    TIDEMARK_DATA_DIR: testFolder(),
    TIDEMARK_ROLE: 'edge',
    TIDEMARK_LANES: String(testLanes),
    POSTGRES_URL: postgres.url,
    NATS_URL: nats.url,
    CLICKHOUSE_URL: `${clickhouse.url}/${clickhouse.database}`,
    RATE_LIMIT: '0',
    INBOUND_RATE_LIMIT: '0',
    PORT: '0',
  }
  const command = async (...args: string[]) =>
    JSON.parse((await promisify(execFile)(process.execPath, [main, ...args, '--json'], { env })).stdout)
  const child = spawn(process.execPath, [main, 'start', '--json'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { url } = JSON.parse(line) as { url: string }
  return {
    url,
    async org(name) {
      const { id: orgId } = await command('org', 'create', name)
      const { token } = await command('pat', 'create', '--org', orgId, '--role', 'owner')
      const send = async <T>(method: string, to: string, body?: unknown) => {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
        const text = body === undefined ? {} : { body: JSON.stringify(body) }
        return answerOf<T>(await fetch(url + to, { method, headers, ...text }))
      }
      return { orgId, send, get: (to) => send('GET', to) }
    },
    end: () => child.kill(),
  }
}
