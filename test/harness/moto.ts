/** moto: a stand-in of AWS with state, written by others, started for a suite on a free port. It checks no permissions. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import { systemClock } from '#engine/clock.ts'
import type { AwsOptions } from '#streams/cloud/aws/session.ts'
import { Caller } from '#streams/cloud/call.ts'

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

const isHere = (): boolean => spawnSync(command, ['--help'], { stdio: 'ignore' }).status === 0

/** A suite against a server of its own. Without moto it is skipped with one line, and fails where CI runs it. */
export function describeMoto(title: string, fn: (moto: () => Moto) => void): void {
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
    let child: ChildProcess
    let moto: Moto
    before(async () => {
      const env = { ...process.env, MOTO_IAM_LOAD_MANAGED_POLICIES: 'true' }
      child = spawn(command, ['-H', '127.0.0.1', '-p', '0'], { stdio: ['ignore', 'ignore', 'pipe'], env })
      moto = motoAt(await addressIn(child))
    })
    after(async () => {
      if (child.exitCode !== null) return
      child.kill()
      await once(child, 'exit')
    })
    fn(() => moto)
  })
}

async function addressIn(child: ChildProcess): Promise<string> {
  const said: string[] = []
  const lines = createInterface({ input: child.stderr! })
  for await (const line of lines) {
    said.push(line)
    const url = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1]
    if (url === undefined) continue
    // What it says of every request has to go somewhere.
    child.stderr!.resume()
    return url
  }
  throw new Error(`moto_server has ended: ${said.join('\n')}`)
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
