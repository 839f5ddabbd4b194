// tier: deep
/** Every kind, its job killed after each of its calls: what the call did is there, and nobody heard of it. */
import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import type { ClusterOptions } from '#streams/cloud/aws/cluster/cluster.ts'
import * as calls from '#streams/cloud/aws/provision/index.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { describeMoto, motoWithPolicies, type Moto } from '#test/harness/moto.ts'
import { jobId, ProvisioningRun } from '#test/streams/cloud/provisioning-job.ts'
import { account, region } from './account.ts'
import { image } from './standing.ts'
import { provisionedKinds, standing, store, withKind, type ProvisionedKind } from './provisioned.ts'

/** After this call nothing is heard any more, until it is started again; 0: never. */
class Mortal extends Caller {
  killAt = 0
  calls = 0
  isDead = false
  override call<T>(...[door, ask, faultOf, rules]: Parameters<Caller['call']>): Promise<T> {
    const die = async (signal: AbortSignal): Promise<unknown> => {
      if (this.isDead) throw cloudFault('transient', 'cloud_timeout', 'The process is gone.')
      const answer = await ask(signal).then(
        (value) => () => value,
        (error: unknown) => () => {
          throw error
        },
      )
      this.isDead = ++this.calls === this.killAt
      if (this.isDead) throw cloudFault('transient', 'cloud_timeout', 'The process is gone.')
      return answer()
    }
    return super.call(door, die, faultOf, rules) as Promise<T>
  }
}

describeMoto('what is provisioned at AWS by a process that is killed after any of its calls', (moto: () => Moto) => {
  let options: ClusterOptions
  let mortal: Mortal
  let session: AwsSession
  const begin = async (kind: ProvisioningKind) => {
    // Roles of clusters have policies that AWS manages.
    const at = kind === 'kubernetes' ? await motoWithPolicies() : moto()
    await at.reset()
    mortal = new Mortal({
      clock: { now: () => Date.now(), sleep: async () => {} },
      meter: { made: () => {} },
      random: () => 0,
      rules: { perSecond: 1e6, burst: 1e6, breakAfter: 1e6, budgetMin: 1e6, tries: 1 },
    })
    options = { ...at.options, caller: mortal, clock: systemClock, allowPrivate: true }
    session = openAws(account, at.options)
  }
  afterEach(() => session.close())

  const job = (kind: ProvisioningKind, config: Record<string, unknown>, failed: () => void) =>
    new ProvisioningRun({ calls, options, account, region, failed }, { jobId, kind, config })

  /** A machine, and a balancer of the application before it. */
  const balancer: ProvisionedKind = {
    what: 'a load balancer of the application',
    kind: 'load_balancer',
    configOf: async (s) => {
      const run = { ImageId: image, MinCount: 1, MaxCount: 1, InstanceType: 'm5.large' as const }
      const { Instances = [] } = await s.ask('ec2', region, (m) => new m.RunInstancesCommand(run))
      const listeners = [{ port: 80, protocol: 'http', targetPort: 8080 }]
      return { name: 'shop', scheme: 'internal', listeners, targetUID: Instances[0]!.InstanceId! }
    },
    more: { balancers: 1, targets: 1 },
  }

  for (const one of [...provisionedKinds, balancer])
    it(`is made once, found again, and nothing is left of it: ${one.what} [PROV-07]`, async () => {
      await begin(one.kind)
      const config = await one.configOf(session)
      const before = await standing(session)
      let isKilled = true
      for (let at = 1; isKilled; at++) {
        Object.assign(mortal, { killAt: at, calls: 0 })
        isKilled = false
        const run = job(one.kind, config, () => {
          isKilled = true
          mortal.isDead = false
        })
        await run.make()
        expect(await standing(session), `made, killed at ${at}`).to.deep.equal(withKind(before, one))
        await run.unmake()
        expect(await standing(session), `deleted, killed at ${at}`).to.deep.equal(before)
      }
    })

  it('is made once and found again: a server of Redis, which the stand-in never deletes [PROV-07]', async () => {
    const config = { ...store, engine: 'redis', version: '7.1', instanceClass: 'cache.m5.large', allocatedStorageGB: 0 }
    let isKilled = true
    for (let at = 1; isKilled; at++) {
      await begin('datastore')
      const before = await standing(session)
      mortal.killAt = at
      isKilled = false
      const run = job('datastore', config, () => {
        isKilled = true
        mortal.isDead = false
      })
      await run.make()
      expect(await standing(session), `killed at ${at}`).to.deep.equal({ ...before, caches: 1 })
      expect(run.secrets['admin']).to.match(/^[0-9a-f]{48}$/)
      session.close()
    }
  })
})
