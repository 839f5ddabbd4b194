// tier: deep
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import { describe as described, provision, provisions, unprovision } from '#streams/cloud/aws/provision/index.ts'
import { systemClock } from '#engine/clock.ts'
import type { ClusterOptions } from '#streams/cloud/aws/cluster/cluster.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import {
  makingSteps,
  provisioningKinds,
  stepsOf,
  type ProvisioningKind,
  type ProvisionRequest,
} from '#streams/cloud/provision.ts'
import { chance } from '#streams/cloud/simulated/world/prng.ts'
import { region } from './account.ts'
import { pool, provisionedKinds, standing, store, withKind } from './provisioned.ts'
import { describeMoto, motoWithPolicies, type Moto } from '#test/harness/moto.ts'

const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'o1',
  provider: 'aws',
  externalId: '123456789012',
  name: 'Production',
  regions: [],
  credentials: { roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'x' },
}

/** A share of the calls has its effect, and then no answer. */
class Lossy extends Caller {
  share = 0
  private calls = 0
  override call<T>(...[door, ask, faultOf, rules]: Parameters<Caller['call']>): Promise<T> {
    const lose = async (signal: AbortSignal): Promise<unknown> => {
      const answer = await ask(signal)
      if (chance('lossy', this.calls++) < this.share) throw cloudFault('transient', 'cloud_timeout', 'No answer.')
      return answer
    }
    return super.call(door, lose, faultOf, rules) as Promise<T>
  }
}

/** Carries out the steps of a job as its actor does: again after a fault, and again while it has to wait. */
class Job {
  readonly id = randomUUID()
  readonly kind: ProvisioningKind
  readonly config: Record<string, unknown>
  readonly outputs: Record<string, Record<string, unknown>> = {}
  readonly secrets: Record<string, string> = {}
  private readonly options: ClusterOptions

  constructor(options: ClusterOptions, kind: ProvisioningKind, config: Record<string, unknown>) {
    this.options = options
    this.kind = kind
    this.config = config
  }

  request(step: string): ProvisionRequest {
    const { id: jobId, kind, config, outputs } = this
    const tags = { team: 'shop' }
    const token = `${jobId}/${step}`
    return { jobId, kind, step, region, clusterUid: null, config, tags, outputs, token }
  }

  private async persist<T extends { status: string }>(call: () => Promise<T>): Promise<T> {
    for (let tries = 0; tries < 100; tries++) {
      try {
        const answer = await call()
        if (answer.status !== 'waiting') return answer
      } catch (error) {
        if (!(error instanceof Fault) || error.kind !== 'transient') throw error
      }
    }
    throw new Error('it never ends')
  }

  async make(): Promise<void> {
    for (const step of stepsOf[this.kind]) {
      const answer = await this.persist(() => provision(this.options, account, this.request(step)))
      this.outputs[step] = answer.output ?? {}
      Object.assign(this.secrets, answer.secrets)
    }
  }

  async unmake(): Promise<string[]> {
    const gone: string[] = []
    for (const step of stepsOf[this.kind].toReversed().filter((one) => makingSteps.has(one))) {
      const answer = await this.persist(() => unprovision(this.options, account, this.request(step)))
      gone.push(...(answer.gone ?? []))
    }
    return gone
  }

  describe(): Promise<Record<string, unknown> | null> {
    const { step: _, token: __, ...request } = this.request('')
    return described(this.options, account, request)
  }
}

describeMoto('what is provisioned at AWS', (moto: () => Moto) => {
  let options: ClusterOptions
  let lossy: Lossy
  let session: AwsSession
  beforeEach(async function () {
    // Roles of clusters have policies that AWS manages.
    const at = this.currentTest!.title.includes('cluster') ? await motoWithPolicies() : moto()
    await at.reset()
    lossy = new Lossy({
      clock: { now: () => Date.now(), sleep: async () => {} },
      meter: { made: () => {} },
      random: () => 0,
      rules: { perSecond: 1e6, burst: 1e6, breakAfter: 1e6, budgetMin: 1e6 },
    })
    options = { ...at.options, caller: lossy, clock: systemClock, allowPrivate: true }
    session = openAws(account, at.options)
  })
  afterEach(() => session.close())

  for (const one of provisionedKinds)
    for (const share of [0, 0.3])
      it(`is made once and taken away whole: ${one.what}${share > 0 ? ', with no answer to 30 % of the calls' : ''} [PROV-02]`, async () => {
        const config = await one.configOf(session)
        const before = await standing(session)
        lossy.share = share
        const job = new Job(options, one.kind, config)
        await job.make()
        expect(await standing(session)).to.deep.equal(withKind(before, one))
        lossy.share = 0
        expect(await job.describe()).to.deep.equal(config)
        lossy.share = share
        const gone = await job.unmake()
        expect(gone.length).to.be.above(0)
        expect(await standing(session)).to.deep.equal(before)
        expect(await job.unmake(), 'again').to.deep.equal(gone)
        lossy.share = 0
        expect(await job.describe()).to.equal(null)
      })

  it('is made once, and is taken away: a server of Redis, with no answer to 30 % of the calls [PROV-02]', async () => {
    const config = { ...store, engine: 'redis', version: '7.1', instanceClass: 'cache.m5.large', allocatedStorageGB: 0 }
    const before = await standing(session)
    lossy.share = 0.3
    const job = new Job(options, 'datastore', config)
    await job.make()
    expect(await standing(session)).to.deep.equal({ ...before, caches: 1 })
    expect(job.secrets['admin']).to.match(/^[0-9a-f]{48}$/)
    lossy.share = 0
    // The stand-in is never done with it.
    expect(await unprovision(options, account, job.request('instance'))).to.deep.equal({ status: 'waiting' })
    const { ReplicationGroups = [] } = await session.ask(
      'elasticache',
      region,
      (m) => new m.DescribeReplicationGroupsCommand({}),
    )
    expect(ReplicationGroups.map(({ Status }) => Status)).to.deep.equal(['deleting'])
    expect(await job.describe()).to.equal(null)
  })

  it('is a load balancer before a machine that is there, of the application where all speaks HTTP', async () => {
    const { Images = [] } = await session.ask('ec2', region, (m) => new m.DescribeImagesCommand({ Owners: ['amazon'] }))
    const run = { ImageId: Images[0]!.ImageId!, MinCount: 1, MaxCount: 1, InstanceType: 'm5.large' as const }
    const { Instances = [] } = await session.ask('ec2', region, (m) => new m.RunInstancesCommand(run))
    const listeners = [{ port: 80, protocol: 'http', targetPort: 8080 }]
    const config = { name: 'shop', scheme: 'internal', listeners, targetUID: Instances[0]!.InstanceId! }
    const job = new Job(options, 'load_balancer', config)
    await job.make()
    const { LoadBalancers = [] } = await session.ask(
      'elastic-load-balancing-v2',
      region,
      (m) => new m.DescribeLoadBalancersCommand({}),
    )
    expect(LoadBalancers.map(({ Type, Scheme }) => [Type, Scheme])).to.deep.equal([['application', 'internal']])
    expect(await job.describe()).to.deep.equal(config)
    expect(await job.unmake()).to.deep.equal([LoadBalancers[0]!.LoadBalancerArn])
  })

  it('is refused before anything is made where it is not offered', async () => {
    const before = await standing(session)
    const https = {
      name: 'shop',
      scheme: 'public',
      listeners: [{ port: 443, protocol: 'HTTPS', targetPort: 8080 }],
      targetUID: 'i-1',
    }
    const refused = await new Job(options, 'load_balancer', https).make().then(
      () => 'made',
      (error: unknown) => Fault.from(error).code,
    )
    expect(refused).to.equal('unsupported_provisioning')
    expect(await standing(session)).to.deep.equal(before)
    expect(provisions).to.have.members(provisioningKinds)
  })

  it('takes no registry for its own that another has made, and leaves it alone', async () => {
    const name = 'images'
    await session.ask('ecr', region, (m) => new m.CreateRepositoryCommand({ repositoryName: name }))
    const job = new Job(options, 'registry', { name, immutableTags: false })
    const refused = await job.make().then(
      () => 'made',
      (error: unknown) => Fault.from(error).code,
    )
    expect([refused, await job.unmake(), (await standing(session)).registries]).to.deep.equal(['already_exists', [], 1])
  })

  it('has a password that nobody but who asked is told, and another one each time it is asked', async () => {
    const job = new Job(options, 'datastore', store)
    await job.make()
    const first = job.secrets['admin']!
    expect(first).to.match(/^[0-9a-f]{48}$/)
    expect(JSON.stringify(job.outputs)).to.not.contain(first)
    expect(job.outputs['secret']).to.include({ user: 'tidemark_admin', port: 5432 })
    const again = await provision(options, account, job.request('secret'))
    expect(again.secrets!['admin'])
      .to.match(/^[0-9a-f]{48}$/)
      .and.not.equal(first)
  })

  it('finds a server that no job has created, with the administrator of a given secret, and leaves it', async () => {
    const credentials = { username: 'boss', password: 'of-a-test-only' }
    const { DBInstance: server } = await session.ask(
      'rds',
      region,
      (m) =>
        new m.CreateDBInstanceCommand({
          DBInstanceIdentifier: 'orders',
          DBInstanceClass: 'db.t3.micro',
          Engine: 'mysql',
          AllocatedStorage: 20,
          MasterUsername: credentials.username,
          MasterUserPassword: credentials.password,
        }),
    )
    const { ARN: secretARN } = await session.ask(
      'secrets-manager',
      region,
      (m) => new m.CreateSecretCommand({ Name: 'orders/admin', SecretString: JSON.stringify(credentials) }),
    )
    const job = new Job(options, 'existing_datastore', { serverUID: server!.DBInstanceArn, secretARN })
    await job.make()
    expect(job.outputs['connect']).to.include({ engine: 'mysql', port: 3306, user: 'boss', secretArn: secretARN })
    expect(job.secrets).to.deep.equal({})
    expect(JSON.stringify(job.outputs)).to.not.contain(credentials.password)
    expect([await job.unmake(), await job.describe()]).to.deep.equal([[], job.config])
  })

  it('says what to do where a region has no default network', async () => {
    const { Subnets = [] } = await session.ask('ec2', region, (m) => new m.DescribeSubnetsCommand({}))
    for (const { SubnetId } of Subnets) await session.ask('ec2', region, (m) => new m.DeleteSubnetCommand({ SubnetId }))
    const fault = await new Job(options, 'vm_pool', pool).make().then(
      () => undefined,
      (error: unknown) => Fault.from(error),
    )
    expect([fault?.code, fault?.kind]).to.deep.equal(['no_default_network', 'refused'])
    expect(fault?.detail['fixHint']).to.contain('create-default-vpc')
  })
})
