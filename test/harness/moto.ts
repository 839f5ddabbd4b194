/** moto: a stand-in of AWS with state, written by others, started for a test run on a free port. It checks no permissions. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import { supervise, type SupervisedServer } from '#config/embedded/child.ts'
import { systemClock } from '#engine/clock.ts'
import type { AwsOptions } from '#streams/cloud/aws/session/session.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import { proxyOf } from '#test/harness/moto-proxy.ts'
import { testFolder } from '#test/harness/stores.ts'

const command = 'moto_server'

export interface Moto {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** What a connector of it is made with; calls are not paced. */
  options: AwsOptions
  /** Who has an account there already; any keys do. */
  base: AwsCredentialIdentityProvider
  /** Forgets everything. */
  reset: () => Promise<void>
}

const isHere = (): boolean =>
  (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, command)))

/** Python with boto3, which moto needs: that of its folder, otherwise that of the machine. */
export function motoPython(): string {
  const folders = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => existsSync(path.join(folder, command)))
  const own = folders.map((folder) => path.join(folder, 'python')).find((file) => existsSync(file))
  return own ?? 'python3'
}

/**
 * A suite against a server of this test run, which has forgotten what suites before did. With `hasPolicies` it is another server, which
 * has the thousand policies that AWS manages, and forgets slowly. Without moto the suite is skipped with one line, and fails where CI
 * runs it.
 */
export function describeMoto(title: string, fn: (moto: () => Moto) => void, { hasPolicies = false } = {}): void {
  if (!isHere()) {
    const why = 'moto: SKIPPED, no moto_server here (pip install "moto[server]")'
    describe(title, () => {
      if (process.env['CI']) it('needs moto', () => Promise.reject(new Error(why)))
      else it.skip(why)
    })
    return
  }
  describe(title, function () {
    this.timeout(180_000)
    let moto: Moto
    before(async () => {
      moto = hasPolicies ? await motoWithPolicies() : motoAt(await (plain ??= start('false')))
      await moto.reset()
    })
    fn(() => moto)
  })
}

let plain: Promise<string> | undefined
let withPolicies: Promise<string> | undefined
const servers: Pick<SupervisedServer, 'stop'>[] = []

export const motoWithPolicies = async (): Promise<Moto> => motoAt(await (withPolicies ??= start('true')))

/** It imports most of its parts when they are first asked for, which takes seconds: so one serves all suites of a process. */
async function start(policies: 'true' | 'false'): Promise<string> {
  const folder = testFolder()
  const server = await supervise({
    name: command,
    command: ['/usr/bin/env', `MOTO_IAM_LOAD_MANAGED_POLICIES=${policies}`, command, '-H', '127.0.0.1', '-p', '0'],
    cwd: folder,
    ready: /Running on (http:\/\/127\.0\.0\.1:\d+)/,
    readyMs: 170_000,
    pidFile: path.join(folder, 'moto.pid'),
    log: () => {},
  })
  const proxy = await proxyOf(server.line)
  servers.push(server, proxy)
  return proxy.url
}

export async function stopMoto(): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()))
}

function motoAt(url: string): Moto {
  const base: AwsCredentialIdentityProvider = async () => ({ accessKeyId: 'test', secretAccessKey: 'test' })
  const caller = new Caller({
    clock: systemClock,
    meter: { made: () => {} },
    random: Math.random,
    rules: { perSecond: 10_000, burst: 10_000 },
  })
  return {
    url,
    base,
    options: { caller, endpoint: url, base },
    reset: async () => void (await fetch(`${url}/moto-api/reset`, { method: 'POST' })),
  }
}
