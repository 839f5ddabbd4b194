import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { dayMs } from '#engine/value/day.ts'
import type { Fault } from '#engine/value/fault.ts'
import { decoder } from '#engine/value/schema.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { provisioningKinds, type ProvisioningKind } from '#streams/cloud/provision.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { FaultPlan } from '#streams/cloud/simulated/state/faults.ts'
import { Ledger } from '#streams/cloud/simulated/state/ledger.ts'
import { providers } from '#streams/names.ts'
import { configs } from '#test/harness/catalog-config.ts'
import {
  cloud,
  code,
  discovered,
  foreign,
  jobId,
  madeBy,
  provisioned,
  request,
  second,
  staging,
} from '#test/streams/cloud/provisioning.ts'

describe('simulated cloud: provisioning', () => {
  it('offers every kind at every provider, and makes of each what inventories have [PROV-21] [PROV-26]', async () => {
    const types: Record<string, string[]> = {}
    for (const provider of providers)
      for (const kind of provisioningKinds) {
        const world = cloud()
        await provisioned(world, { ...foreign, provider }, kind)
        const found = await discovered(world.sim, { ...foreign, provider })
        types[kind] = [...(types[kind] ?? []), ...found.map(({ type }) => type)]
        expect(found.filter(({ type }) => typeOf(type)?.provider !== provider)).to.deep.equal([])
        expect(found.filter(({ tags }) => tags?.['tidemark:job'] !== jobId || tags?.['team'] !== 'shop')).to.deep.equal(
          [],
        )
        expect(found.filter(({ specs }) => specs?.['simulated'] !== true)).to.deep.equal([])
      }
    expect(cloud().sim.provisions).to.deep.equal([...provisioningKinds])
    expect(types).to.deep.equal({
      kubernetes: [
        'aws-security-group',
        'aws-eks',
        'aws-eks-nodegroup',
        'gcp-firewall-rule',
        'gcp-gke',
        'gcp-gke-nodepool',
        'azure-nsg',
        'azure-aks',
        'azure-aks-nodepool',
      ],
      datastore: ['aws-rds', 'gcp-cloudsql', 'azure-postgres'],
      vm_pool: ['aws-asg', 'aws-alb', 'gcp-mig', 'gcp-forwarding-rule', 'azure-vmss', 'azure-load-balancer'],
      network: ['aws-vpc', 'gcp-subnet', 'azure-vnet'],
      registry: ['aws-ecr-repository', 'gcp-artifact-repo', 'azure-acr'],
      load_balancer: ['aws-alb', 'gcp-forwarding-rule', 'azure-load-balancer'],
      component: ['aws-eks-deployment', 'gcp-gke-deployment', 'azure-aks-deployment'],
      existing_datastore: [],
    })
  })

  it('makes what is asked for under one token once, however often it is asked [PROV-26]', async () => {
    const { sim } = cloud()
    const first = await sim.provision(foreign, request('registry', 'create'))
    expect(first).to.deep.equal({
      status: 'done',
      output: {
        uri: 'registry.us-east-1.simulated.example/images',
        registryUid: 'arn:aws:ecr-repository:us-east-1:123456789012:images-6b0f6f0e',
      },
    })
    expect(await sim.provision(foreign, request('registry', 'create'))).to.deep.equal(first)
    expect(await Promise.all([1, 2, 3].map(() => sim.provision(foreign, request('registry', 'create'))))).to.deep.equal(
      [first, first, first],
    )
    expect(sim.madeFor('acct-1')).to.have.length(1)
    expect(sim.calls.map(({ call, outcome, repeated }) => [call, outcome, repeated ?? false])).to.deep.equal([
      ['provision.create', 'ok', false],
      ...Array.from({ length: 4 }, () => ['provision.create', 'ok', true]),
    ])
    await sim.provision(foreign, request('registry', 'create', { jobId: '7b0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01' }))
    expect(sim.madeFor('acct-1')).to.have.length(2)
  })

  it('makes nothing by a call that comes behind what took it away, however long it was held [PROV-06]', async () => {
    const held = Promise.withResolvers<void>()
    const now = () => new Date('2026-03-16T10:30:00Z')
    const sim = simulatedCloud({ seed: 'tidemark', now, sleep: () => held.promise })
    sim.faults.set({ faults: [{ call: 'provision.create', delaySeconds: 90, times: 1 }] })
    const late = sim.provision(foreign, request('registry', 'create'))
    expect(await sim.unprovision(foreign, request('registry', 'create'))).to.deep.equal({ status: 'done', gone: [] })
    held.resolve()
    expect(await code(late)).to.equal('system token_retired')
    expect(await code(sim.provision(foreign, request('registry', 'create')))).to.equal('system token_retired')
    expect(await sim.unprovision(foreign, request('registry', 'create'))).to.deep.equal({ status: 'done', gone: [] })
    expect([sim.madeFor('acct-1'), await discovered(sim, foreign)]).to.deep.equal([[], []])
  })

  it('tells of many subnets with long names by name alone, so that a job keeps what it is told [PROV-26]', async () => {
    const { sim } = cloud()
    const names = Array.from({ length: 64 }, (_, i) => `${'n'.repeat(60)}-${i}`)
    const config = {
      name: 'net',
      cidr: '10.0.0.0/8',
      subnets: names.map((name) => ({ name, cidr: '10.0.0.0/24', public: false })),
    }
    const azure = { ...foreign, provider: 'azure' as const, externalId: '6b0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01' }
    const { output = {} } = await sim.provision(azure, request('network', 'create', { config }))
    expect(output['truncated']).to.equal(true)
    expect(output['subnets']).to.deep.equal(names.map((name) => ({ name })))
    expect(Buffer.byteLength(JSON.stringify(output))).to.be.lessThan(16 * 1024)
  })

  it('shows an organization nothing of what another has made in an account of the same id [PROV-26]', async () => {
    const { sim } = cloud()
    const other = { ...foreign, orgId: 'another' }
    await sim.provision(foreign, request('registry', 'create'))
    expect((await discovered(sim, foreign)).map(({ type }) => type)).to.deep.equal(['aws-ecr-repository'])
    expect(await discovered(sim, other)).to.deep.equal([])
    await sim.unprovision(other, request('registry', 'create'))
    expect(await discovered(sim, foreign)).to.have.length(1)
    expect(madeBy(sim)).to.deep.equal([['create', false]])
    await sim.unprovision(foreign, request('registry', 'create'))
    expect(madeBy(sim)).to.deep.equal([['create', true]])
  })

  it('takes its time: a control plane 20 seconds, of which it is asked twice more, a server as long', async () => {
    const { sim, clock } = cloud()
    const plane = async () => (await sim.provision(foreign, request('kubernetes', 'control_plane'))).status
    const seen = [await plane()]
    for (let looks = 0; looks < 2; looks++) {
      clock.at += 15 * second
      seen.push(await plane())
    }
    expect(seen).to.deep.equal(['waiting', 'waiting', 'done'])
    const server = await sim.provision(foreign, request('datastore', 'instance'))
    expect(server).to.deep.equal({
      status: 'done',
      output: {
        host: 'postgres-6b0f6f0e.us-east-1.simulated.example',
        port: 5432,
        serverUid: 'arn:aws:rds:us-east-1:123456789012:postgres-6b0f6f0e',
      },
    })
    const available = async () => (await sim.provision(foreign, request('datastore', 'wait_available'))).status
    expect(await available()).to.equal('waiting')
    expect(await discovered(sim, foreign)).to.have.length(1)
    clock.at += 20 * second
    expect(await available()).to.equal('done')
    expect((await discovered(sim, foreign)).map(({ type }) => type)).to.deep.equal(['aws-eks', 'aws-rds'])
  })

  it('gives a password that is the same whenever it is asked, and shows it nowhere', async () => {
    const world = cloud()
    const outputs = await provisioned(world, foreign, 'datastore')
    expect(outputs['secret']).to.deep.equal({
      user: 'tidemark_admin',
      host: 'postgres-6b0f6f0e.us-east-1.simulated.example',
      port: 5432,
    })
    const again = () => world.sim.provision(foreign, request('datastore', 'secret', { outputs }))
    const [first, second_] = [await again(), await again()]
    expect(first.secrets!['admin']).to.match(/^sim-[0-9a-f]{32}$/)
    expect(second_).to.deep.equal(first)
    const shown = JSON.stringify([
      outputs,
      world.sim.calls,
      world.sim.madeFor('acct-1'),
      await discovered(world.sim, foreign),
    ])
    expect(shown).not.to.contain(first.secrets!['admin'])
  })

  it('says what it was made as, and how it is by now; nothing once it is gone', async () => {
    const world = cloud()
    const { sim } = world
    const of = (kind: ProvisioningKind) => ({
      jobId,
      kind,
      region: 'us-east-1',
      clusterUid: null,
      config: {},
      tags: {},
      outputs: {},
    })
    expect(await sim.describe(foreign, of('vm_pool'))).to.equal(null)
    await provisioned(world, foreign, 'vm_pool')
    expect(await sim.describe(foreign, of('vm_pool'))).to.deep.equal(configs.vm_pool)
    const group = (await discovered(sim, foreign)).find(({ type }) => type === 'aws-asg')!
    const params = { min: 3, max: 8, desired: 4 }
    await sim.act(foreign, { id: 'a-1', kind: 'scale', resource: group, params })
    expect(await sim.describe(foreign, of('vm_pool'))).to.deep.equal({ ...configs.vm_pool, min: 3, max: 8 })
    expect((await sim.look(foreign, group)).capacity).to.deep.equal(params)
    await sim.act(foreign, { id: 'a-2', kind: 'delete', resource: group })
    expect(await sim.describe(foreign, of('vm_pool'))).to.equal(null)
    expect(await code(sim.provision(foreign, request('vm_pool', 'verify')))).to.equal('user_action resource_not_found')
    const cluster = cloud()
    await provisioned(cluster, foreign, 'kubernetes')
    expect(await cluster.sim.describe(foreign, of('kubernetes'))).to.deep.equal(configs.kubernetes)
    const server = cloud()
    await provisioned(server, foreign, 'datastore')
    expect(await server.sim.describe(foreign, of('datastore'))).to.deep.equal(configs.datastore)
  })

  it('is counted in bills and scans of its own accounts from then on, and in those of no other organization [PROV-26]', async () => {
    const world = cloud()
    const { sim, clock } = world
    const before = (await discovered(sim, staging)).length
    await provisioned(world, staging, 'datastore')
    const day = '2026-03-17'
    const billed = async (account: CloudAccount) => {
      const lines = []
      for await (const page of sim.bill(account, day, day)) lines.push(...page)
      return lines
        .filter(({ Tags }) => (Tags as Record<string, string> | undefined)?.['tidemark:job'] === jobId)
        .map(({ SkuId, BilledCost }) => [SkuId, BilledCost])
    }
    clock.at += 2 * dayMs
    expect((await discovered(sim, staging)).length).to.equal(before + 1)
    // 24 hours at 0.072 USD; 100 GB of 31 days at 0.115 USD.
    expect(await billed(staging)).to.deep.equal([
      ['aws-rds:run:db.t3.medium', '1.728'],
      ['aws-rds:storage:db.t3.medium', '0.3709677419'],
    ])
    const other = { ...staging, id: 'acct-9', orgId: 'other' }
    expect([(await discovered(sim, other)).length, await billed(other)]).to.deep.equal([before, []])
  })

  it('costs nothing where its size has no price here, and is found all the same', async () => {
    const world = cloud()
    const config = { ...configs.vm_pool, instanceType: 'm99.huge' }
    await provisioned(world, staging, 'vm_pool', { config })
    const group = (await discovered(world.sim, staging)).find(
      ({ tags, type }) => tags?.['tidemark:job'] && type === 'aws-asg',
    )!
    expect([group.instanceType, group.hourlyRateUSD]).to.deep.equal(['m99.huge', undefined])
  })
})

describe('simulated cloud: what provisioning refuses', () => {
  it('is more than a quota, with what to do about it and where, before anything is made [PROV-31]', async () => {
    const { sim } = cloud()
    const config = { ...configs.vm_pool, max: 101 }
    for (const step of ['quota_check', 'group']) {
      const fault = await sim.provision(foreign, request('vm_pool', step, { config })).catch((error: Fault) => error)
      expect(fault, step).to.deep.include({
        code: 'quota_exceeded',
        message: 'web can have at most 100 units, but 101 were requested.',
        detail: {
          bucket: 'user_action',
          fixHint: 'Request a higher quota from the cloud, or delete resources you do not need.',
          consoleUrl: 'https://console.example.com/quotas',
        },
      })
    }
    expect(sim.madeFor('acct-1')).to.deep.equal([])
    expect(await code(sim.provision(foreign, request('vm_pool', 'quota_check')))).to.equal('ok')
  })

  it('is an account that it has not, a kind that there is not, and a cluster that is gone', async () => {
    const world = cloud()
    const { sim } = world
    const nowhere = { ...foreign, externalId: 'sim-aws-nowhere' }
    expect(await code(sim.provision(nowhere, request('registry', 'validate')))).to.equal(
      'user_action account_not_found',
    )
    expect(await code(sim.provision(nowhere, request('registry', 'create')))).to.equal('user_action account_not_found')
    const unknown = { ...request('registry', 'create'), kind: 'mainframe' as ProvisioningKind }
    expect(await code(sim.provision(foreign, unknown))).to.equal('system unsupported_provisioning')
    const outputs = await provisioned(world, foreign, 'kubernetes')
    const clusterUid = outputs['control_plane']!['clusterUid'] as string
    const component = request('component', 'create', { jobId: '7b0f6f0e-1e4a-4a36-9a43-0f9f2b9f6a01', clusterUid })
    expect(await code(sim.provision(foreign, component))).to.equal('ok')
    await sim.unprovision(foreign, request('kubernetes', 'control_plane'))
    world.clock.at += 10 * second
    expect(await code(sim.provision(foreign, { ...component, token: 'other' }))).to.equal(
      'user_action resource_not_found',
    )
    // What was in the cluster went with it.
    expect((await discovered(sim, foreign)).map(({ type }) => type)).to.deep.equal(['aws-security-group'])
  })

  it('is what the plan says, by the step or every step, and by undoing alone [PROV-30]', async () => {
    const { sim } = cloud()
    const plan = (faults: object[]) => sim.faults.set(decoder(FaultPlan)({ faults }))
    plan([
      { call: 'provision.create', error: 'throttled', times: 1 },
      { call: 'provision', error: 'quota_exceeded', times: 2 },
      { call: 'unprovision.create', error: 'unsupported_call', times: 1 },
      { call: 'unprovision', error: 'access_denied', times: 1 },
    ])
    const create = request('registry', 'create')
    const codes = []
    for (const work of [
      () => sim.provision(foreign, create),
      () => sim.provision(foreign, request('registry', 'validate')),
      () => sim.provision(foreign, create),
      () => sim.provision(foreign, create),
      () => sim.unprovision(foreign, create),
      () => sim.unprovision(foreign, create),
      () => sim.unprovision(foreign, create),
    ])
      codes.push(await code(work()))
    expect(codes).to.deep.equal([
      'transient throttled',
      'user_action quota_exceeded',
      'user_action quota_exceeded',
      'ok',
      'system unsupported_call',
      'user_action access_denied',
      'ok',
    ])
    expect(sim.faults.planned).to.deep.equal([])
  })
})

describe('simulated cloud: undoing', () => {
  it('takes away what a token made, once; what is gone or was never made is done [PROV-06]', async () => {
    const world = cloud()
    const { sim, clock } = world
    await provisioned(world, foreign, 'vm_pool')
    const undo = async (step: string) => (await sim.unprovision(foreign, request('vm_pool', step))).status
    expect([await undo('load_balancer'), await undo('load_balancer')]).to.deep.equal(['waiting', 'waiting'])
    clock.at += 10 * second
    expect([await undo('load_balancer'), await undo('template'), await undo('nothing')]).to.deep.equal([
      'done',
      'done',
      'done',
    ])
    expect(madeBy(sim)).to.deep.equal([
      ['template', true],
      ['group', false],
      ['load_balancer', true],
    ])
    expect((await discovered(sim, foreign)).map(({ type }) => type)).to.deep.equal(['aws-asg'])
    expect(await undo('group')).to.equal('waiting')
    clock.at += 10 * second
    expect(await discovered(sim, foreign)).to.deep.equal([])
    const undone = sim.calls.filter(({ call, repeated }) => call.startsWith('unprovision.') && !repeated)
    expect(undone.map(({ call }) => call)).to.deep.equal([
      'unprovision.load_balancer',
      'unprovision.template',
      'unprovision.nothing',
      'unprovision.group',
    ])
  })
})

describe('simulated cloud: what provisioning made, under kills', () => {
  it('is there in every process of the folder, also behind a journal that was written shorter, and gone in every one', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'simulated-cloud-'))
    try {
      const first = cloud(folder)
      await provisioned(first, foreign, 'vm_pool')
      await first.sim.unprovision(foreign, request('vm_pool', 'template'))
      new Ledger(folder, statSync(path.join(folder, 'simulated-cloud.jsonl')).size - 1).close()
      const second_ = cloud(folder)
      second_.clock.at = first.clock.at
      expect(madeBy(second_.sim)).to.deep.equal(madeBy(first.sim))
      expect(await second_.sim.provision(foreign, request('vm_pool', 'group'))).to.deep.equal(
        await first.sim.provision(foreign, request('vm_pool', 'group')),
      )
      await second_.sim.unprovision(foreign, request('vm_pool', 'group'))
      expect(madeBy(first.sim)).to.deep.equal([
        ['template', true],
        ['group', true],
        ['load_balancer', false],
      ])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('is made once by two processes that begin it together', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'simulated-cloud-'))
    try {
      const [one, other] = [cloud(folder).sim, cloud(folder).sim]
      const answers = await Promise.all(
        [one, other].map((sim) => sim.provision(foreign, request('registry', 'create'))),
      )
      expect(answers[0]).to.deep.equal(answers[1])
      expect(cloud(folder).sim.madeFor('acct-1')).to.have.length(1)
      const calls = cloud(folder).sim.callsSince().calls
      expect(calls.map(({ repeated }) => repeated ?? false)).to.have.members([false, true])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
