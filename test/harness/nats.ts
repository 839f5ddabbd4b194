/** NATS as it is embedded, and as it is shipped for Kubernetes: for tests that hold for both. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { loadAll } from 'js-yaml'
import { findNatsServer, startNats } from '#config/embedded/nats.ts'
import { freePort } from '#config/embedded/port.ts'
import { root } from '#config/process/root.ts'
import { testFolder } from '#test/harness/stores.ts'

/** A NATS that runs, and how its users are told to it. */
export interface NatsUnderTest {
  /** With the service's password. */
  url: string
  setUsers: (accounts: string) => Promise<void>
  stop: () => Promise<void>
}

const cache = path.join(root, '.cache')
const places = { path: process.env['PATH'], bin: process.env['NATS_SERVER_BIN'] }
/** As in the shipped configuration. */
export const lanes = 16

export const embedded = (): Promise<NatsUnderTest> =>
  startNats(testFolder(), { ...places, cache, lanes, log: () => {} })

/** As in `config/deploy/nats.yaml`, but for its folder, its ports and the two servers it is not without. */
export async function shipped(): Promise<NatsUnderTest> {
  const dir = testFolder()
  const documents = loadAll(readFileSync(path.join(root, 'config/deploy/nats.yaml'), 'utf8')) as {
    kind: string
    data?: Record<string, string>
  }[]
  const text = documents.find(({ kind }) => kind === 'ConfigMap')!.data!['nats.conf']!
  const port = await freePort()
  const config = text
    .replace(/cluster \{[^]*?\n\}/, '')
    .replace('0.0.0.0:4222', `127.0.0.1:${port}`)
    .replace('http: "0.0.0.0:8222"', '')
    .replace('/data', path.join(dir, 'data'))
  mkdirSync(path.join(dir, 'users'))
  const users = path.join(dir, 'users', 'users.conf')
  writeFileSync(users, '')
  writeFileSync(path.join(dir, 'nats.conf'), config)
  const { file } = await findNatsServer(cache, () => {}, places)
  const env = { POD_NAME: 'nats-0', NATS_PASSWORD: 'p1' }
  const child = spawn(file, ['-c', path.join(dir, 'nats.conf')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = async (pattern: RegExp) => {
    let all = ''
    for await (const data of child.stderr.iterator({ destroyOnReturn: false })) if (pattern.test((all += data))) return
    throw new Error(all)
  }
  await printed(/Server is ready/)
  const setUsers = async (accounts: string) => {
    writeFileSync(users, accounts)
    for (const _ of ['accounts', 'imports']) {
      const reloaded = printed(/Reloaded server configuration/)
      child.kill('SIGHUP')
      await reloaded
    }
  }
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { url: `nats://tidemark:p1@127.0.0.1:${port}`, setUsers, stop }
}
