/** Several NATS servers that are one cluster, each of which can be killed and started again. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { supervise, type SupervisedServer } from '#config/embedded/child.ts'
import { serviceAccountText, serviceUser } from '#config/embedded/nats-accounts.ts'
import { findNatsServer } from '#config/embedded/nats.ts'
import { freePort } from '#config/embedded/port.ts'
import { root } from '#config/process/root.ts'
import { testFolder } from '#test/harness/stores.ts'

interface Member {
  readonly port: number
  /** `kill -9`; the server stays away until `start`. */
  kill(): void
  start(): void
}

export interface NatsCluster {
  /** The addresses of all servers, with the service's password. */
  readonly url: string
  readonly members: readonly Member[]
  stop(): Promise<void>
}

const password = 'p1'

/** Starts `size` servers that know each other. */
export async function natsCluster(size: number, lanes: number): Promise<NatsCluster> {
  const { file } = await findNatsServer(path.join(root, '.cache'), () => {}, {
    path: process.env['PATH'],
    bin: process.env['NATS_SERVER_BIN'],
  })
  const ports: { port: number; route: number }[] = []
  for (let n = 0; n < size; n++) ports.push({ port: await freePort(), route: await freePort() })
  const routes = ports.map(({ route }) => `"nats://127.0.0.1:${route}"`).join(', ')
  const dir = testFolder()
  const started = await Promise.all(
    ports.map(async ({ port, route }, n) => {
      const folder = path.join(dir, String(n))
      mkdirSync(folder)
      const config = path.join(folder, 'nats.conf')
      writeFileSync(
        config,
        `listen: "127.0.0.1:${port}"
server_name: n${n}
max_payload: 8MB
jetstream { store_dir: ${JSON.stringify(folder)}, max_memory_store: 256MB, max_file_store: 1TB, sync_interval: always }
accounts {
${serviceAccountText(lanes, password)}}
cluster { name: test, listen: "127.0.0.1:${route}", routes: [${routes}] }
`,
      )
      let away = Promise.withResolvers<void>()
      away.resolve()
      const server: SupervisedServer = await supervise({
        name: `nats-server ${n}`,
        command: ['env', 'GOMEMLIMIT=256MiB', file, '-c', config],
        cwd: folder,
        ready: /Server is ready/,
        pidFile: path.join(folder, 'pid'),
        prepare: () => away.promise,
        log: () => {},
      })
      const member: Member = {
        port,
        kill: () => {
          away = Promise.withResolvers()
          process.kill(server.pid()!, 'SIGKILL')
        },
        start: () => away.resolve(),
      }
      return { server, member }
    }),
  )
  return {
    url: ports.map(({ port }) => `nats://${serviceUser}:${password}@127.0.0.1:${port}`).join(','),
    members: started.map(({ member }) => member),
    async stop() {
      for (const { member } of started) member.start()
      await Promise.all(started.map(({ server }) => server.stop()))
    },
  }
}
