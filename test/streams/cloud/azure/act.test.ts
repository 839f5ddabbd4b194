import { expect } from 'chai'
import { azurePermissions } from '#streams/cloud/azure/permission/permissions.ts'
import { permissionOf } from '#streams/cloud/azure/session/path.ts'
import { bucketOf, type CloudAction, type Connector } from '#streams/cloud/connector.ts'
import { kubernetesKind, resourceTypes } from '#streams/cloud/resource/resource-type.ts'
import { account, fails, type Answer, type AnswerServer, type Question } from './answer-server.ts'
import { addressOf, bodies, driving, refOf, seed, type Driving } from './driving.ts'
import { FarSide, type Power } from './far-side.ts'
import { sample } from '#test/harness/tier.ts'

describe('what is done at Azure', () => {
  let far: FarSide
  let server: AnswerServer
  let cloud: Connector
  let driven: Driving['driven']
  const serving = async (side: FarSide, random?: () => number) => {
    far = side
    ;({ server, cloud, driven } = await driving(side, random))
  }
  afterEach(() => server.close())

  const schedulable = resourceTypes.filter(
    ({ provider, type, schedulable: can }) => provider === 'azure' && can && kubernetesKind(type) === undefined,
  )
  const insideOfWorkspaces = [
    'azure-databricks-cluster',
    'azure-databricks-instance-pool',
    'azure-databricks-warehouse',
  ]
  const switched = schedulable.map(({ type }) => type).filter((type) => !insideOfWorkspaces.includes(type))

  for (const type of switched.filter((one) => one !== 'azure-avd-host-pool'))
    it(`turns ${type} off and on, once each, whatever is lost on the way and refused the second time`, async () => {
      for (const n of sample([0, 1, 2, 3, 4], 3)) {
        await serving(new FarSide(2, n > 2), n === 0 ? undefined : seed(n))
        const thing = far.add(type, 'one', 'on', structuredClone(bodies[type] ?? {}))
        const resource = refOf(type)
        await driven({ id: `off-${n}`, kind: 'stop', resource }, ({ status }) => status === 'stopped')
        expect(thing.effects.length, `${type} ${n}: ${thing.effects.join()}`).to.equal(1)
        await driven({ id: `on-${n}`, kind: 'start', resource }, ({ status }) => status === 'running')
        expect(thing.effects.length, `${type} ${n}: ${thing.effects.join()}`).to.equal(2)
        if (type !== 'azure-firewall') expect(thing.power).to.equal('on')
        if (n < 4) await server.close()
      }
    })

  it('gives a firewall the very addresses back that it had, and leaves no mark on it', async () => {
    await serving(new FarSide(), seed(7))
    const thing = far.add('azure-firewall', 'one', 'on', structuredClone(bodies['azure-firewall']!))
    const resource = refOf('azure-firewall')
    await driven({ id: 'off', kind: 'stop', resource }, ({ status }) => status === 'stopped')
    expect(thing.body['properties'].ipConfigurations).to.deep.equal([])
    await driven({ id: 'on', kind: 'start', resource }, ({ status }) => status === 'running')
    expect([thing.body['properties'].ipConfigurations, thing.body['tags']]).to.deep.equal([
      [addressOf('first')],
      { env: 'prod' },
    ])
  })

  it('waits for a firewall whose change was taken and its answer lost, and asks for nothing else meanwhile', async () => {
    await serving(new FarSide(20))
    const thing = far.add('azure-firewall', 'one', 'on', structuredClone(bodies['azure-firewall']!))
    const asked = (kind: 'start' | 'stop', id: string) =>
      cloud.act(account, { id, kind, resource: refOf('azure-firewall') })
    const answer = far.answer.bind(far)
    const lost = async (kind: 'start' | 'stop') => {
      far.answer = (question) => ({ ...answer(question), isLost: question.method === 'PUT' })
      await asked(kind, 'lost').catch(() => {})
      far.answer = answer
    }
    for (const [kind, status, other] of [
      ['stop', 'stopping', 'start'],
      ['start', 'starting', 'stop'],
    ] as const) {
      const before = thing.effects.length
      await lost(kind)
      expect(await asked(kind, 'again')).to.deep.equal({ status: 'running', observedState: status })
      expect(await fails(asked(other, 'other'))).to.equal('transient busy')
      await driven(
        { id: 'again', kind, resource: refOf('azure-firewall') },
        (seen) => seen.status === (kind === 'stop' ? 'stopped' : 'running'),
      )
      expect(thing.effects.length - before).to.equal(1)
    }
  })

  it('does not take a firewall of a virtual hub for one on its way off while it is changed', async () => {
    await serving(new FarSide())
    const properties = { hubIPAddresses: { privateIPAddress: '10.0.0.4' } }
    const thing = far.add('azure-firewall', 'one', 'on', { properties })
    const stop = () => cloud.act(account, { id: 'off', kind: 'stop', resource: refOf('azure-firewall') })
    expect(await fails(stop())).to.equal('user_action unsupported_action')
    thing.left = 5
    expect(await fails(stop())).to.equal('transient busy')
    expect(thing.effects).to.deep.equal([])
  })

  it('does not start a firewall of which nobody knows what addresses it had', async () => {
    await serving(new FarSide())
    const thing = far.add('azure-firewall', 'one', 'on', { properties: { ipConfigurations: [] } })
    const start = cloud.act(account, { id: 'on', kind: 'start', resource: refOf('azure-firewall') })
    expect(await fails(start)).to.equal('user_action invalid_state')
    expect(thing.effects).to.deep.equal([])
  })

  it('turns every machine of a pool of desktops off and on, those alone that are not so already', async () => {
    for (const n of sample([0, 1, 2, 3])) {
      await serving(new FarSide(2, n > 1), n === 0 ? undefined : seed(n))
      const hosts = (['on', 'off', 'on'] as Power[]).map((power, at) => far.add('azure-vm', `host-${at}`, power))
      const pool = far.add('azure-avd-host-pool', 'one', 'on')
      for (const [at, { id }] of hosts.entries()) {
        const host = { id: `${pool.id}/sessionHosts/h${at}`, properties: { resourceId: id } }
        far.things.set(host.id.toLowerCase(), { id: host.id, power: 'on', left: 0, effects: [], body: host })
      }
      const resource = refOf('azure-avd-host-pool')
      await driven({ id: 'off', kind: 'stop', resource }, ({ status }) => status === 'stopped')
      expect(hosts.map(({ effects, power }) => `${effects.join()} ${power}`)).to.deep.equal([
        'deallocate off',
        ' off',
        'deallocate off',
      ])
      await driven({ id: 'on', kind: 'start', resource }, () => hosts.every(({ power }) => power === 'on'))
      expect(hosts.map(({ effects }) => effects.join())).to.deep.equal([
        'deallocate,start',
        'start',
        'deallocate,start',
      ])
      if (n < 3) await server.close()
    }
  })

  it('does nothing to what is so already, and puts off what is on its way to something else', async () => {
    await serving(new FarSide(1000))
    const thing = far.add('azure-vm', 'one', 'on')
    const resource = refOf('azure-vm')
    expect(await cloud.act(account, { id: 'a', kind: 'start', resource })).to.deep.equal({
      status: 'succeeded',
      observedState: 'running',
    })
    expect(await cloud.act(account, { id: 'b', kind: 'stop', resource })).to.deep.equal({
      status: 'running',
      observedState: 'stopping',
    })
    expect(await cloud.act(account, { id: 'b', kind: 'stop', resource })).to.deep.equal({
      status: 'running',
      observedState: 'stopping',
    })
    expect(await fails(cloud.act(account, { id: 'c', kind: 'start', resource }))).to.equal('transient busy')
    expect(thing.effects).to.deep.equal(['deallocate'])
  })

  it('deallocates a machine that its own system has merely shut down: it is paid for until then', async () => {
    class ShutDown extends FarSide {
      override answer(question: Question): Answer {
        const text = JSON.stringify(super.answer(question)).replace('PowerState/running', 'PowerState/stopped')
        return JSON.parse(text) as Answer
      }
    }
    await serving(new ShutDown())
    const thing = far.add('azure-vm', 'one', 'on')
    await cloud.act(account, { id: 'a', kind: 'stop', resource: refOf('azure-vm') })
    expect(thing.effects).to.deep.equal(['deallocate'])
  })

  it('copies a disk and all of a machine under names that follow from the action, once', async () => {
    for (const n of [0, 1, 2, 3]) {
      await serving(new FarSide(0), n === 0 ? undefined : seed(n + 50))
      const disks = ['os', 'data'].map((name) => far.add('azure-disk', name, 'on'))
      const storageProfile = {
        osDisk: { managedDisk: { id: disks[0]!.id } },
        dataDisks: [{ managedDisk: { id: disks[1]!.id } }],
      }
      far.add('azure-vm', 'one', 'on', { properties: { storageProfile } })
      for (const [type, name] of [
        ['azure-disk', 'os'],
        ['azure-vm', 'one'],
        ['azure-vm', 'one'],
      ] as const) {
        const action: CloudAction = { id: `copy-${type}`, kind: 'snapshot', resource: refOf(type, name) }
        for (let turn = 0, isDone = false; !isDone && turn < 30; turn++)
          isDone = await cloud.act(account, action).then(
            ({ status }) => status === 'succeeded',
            (error: unknown) => {
              if (bucketOf(error) !== 'transient') throw error
              return false
            },
          )
      }
      const made = [...far.things.values()].filter(({ id }) => id.includes('/snapshots/'))
      expect(made.map(({ id, effects }) => [id.split('/').at(-1), effects])).to.deep.equal([
        ['tidemark-copy-azure-disk', ['make']],
        ['tidemark-copy-azure-vm-0', ['make']],
        ['tidemark-copy-azure-vm-1', ['make']],
      ])
      expect(made.map(({ body }) => body['properties'].creationData.sourceResourceId)).to.deep.equal([
        disks[0]!.id,
        disks[0]!.id,
        disks[1]!.id,
      ])
      if (n < 3) await server.close()
    }
  })

  it('deletes once, and finds nothing to do where it is gone', async () => {
    await serving(new FarSide(), seed(61))
    const thing = far.add('azure-disk', 'one', 'on')
    const action: CloudAction = { id: 'd', kind: 'delete', resource: refOf('azure-disk') }
    await driven(action, ({ exists }) => !exists)
    expect(await cloud.act(account, action)).to.deep.equal({ status: 'succeeded' })
    expect(thing.effects).to.deep.equal(['delete'])
  })

  it('sets what differs and nothing else, and refuses what a type cannot be set to before it asks', async () => {
    await serving(new FarSide(0))
    const thing = far.add('azure-disk', 'one', 'on', {
      sku: { name: 'Premium_LRS' },
      properties: { diskIOPSReadWrite: 500 },
    })
    const set = (specs: object) =>
      cloud.act(account, { id: 's', kind: 'set', resource: refOf('azure-disk'), specs: { ...specs } })
    expect(await set({ sku: 'StandardSSD_LRS', iops: 500 })).to.deep.equal({ status: 'succeeded' })
    const written = server.asked.filter(({ method }) => method === 'PATCH').map(({ body }) => body as unknown)
    expect(written).to.deep.equal([{ sku: { name: 'StandardSSD_LRS' } }])
    expect(await set({ sku: 'StandardSSD_LRS' })).to.deep.equal({ status: 'succeeded' })
    expect(thing.effects).to.deep.equal(['write'])
    const before = server.asked.length
    expect(await fails(set({ colour: 'red' }))).to.equal('user_action unsupported_action')
    expect(server.asked.length).to.equal(before)
  })

  it('refuses what a type has not, and what is of another subscription, before it asks', async () => {
    await serving(new FarSide())
    const refused = async (action: Partial<CloudAction>) =>
      fails(cloud.act(account, { id: 'x', kind: 'stop', resource: refOf('azure-disk'), ...action }))
    const other = refOf('azure-vm')
    const elsewhere = other.resourceUid.replace('11111111', '22222222')
    const climbing = other.resourceUid.replace('/shop/', '/shop/../../x/')
    expect([
      await refused({}),
      await refused({ resource: { ...other, type: 'azure-vnet' } }),
      await refused({ kind: 'pause', resource: other }),
      await refused({ resource: { ...other, resourceUid: elsewhere } }),
      await refused({ resource: { ...other, resourceUid: climbing } }),
      await refused({ resource: { ...other, resourceUid: `${other.resourceUid}?api-version=1` } }),
    ]).to.deep.equal([
      ...Array.from({ length: 3 }, () => 'user_action unsupported_action'),
      ...Array.from({ length: 3 }, () => 'user_action not_found'),
    ])
    expect(server.asked).to.deep.equal([])
  })

  it('says that what is gone is gone, and that master lives with its server', async () => {
    await serving(new FarSide())
    const gone = cloud.act(account, { id: 'x', kind: 'stop', resource: refOf('azure-vm', 'none') })
    expect(await fails(gone)).to.equal('user_action resource_not_found')
    expect(await cloud.look(account, refOf('azure-vm', 'none'))).to.deep.equal({ exists: false })
    const master = { kind: 'delete' as const, id: 'x', resource: refOf('azure-sql-database', 'master') }
    expect(await fails(cloud.act(account, master))).to.equal('user_action unsupported_action')
  })

  it('asks for nothing that the table of rights does not name', async () => {
    await serving(new FarSide(0))
    for (const type of switched) {
      far.add(type, 'one', 'on', structuredClone(bodies[type] ?? {}))
      for (const kind of ['stop', 'start'] as const)
        await cloud.act(account, { id: kind, kind, resource: refOf(type) }).catch(() => {})
    }
    const allowed = new Set(azurePermissions.flatMap(({ names }) => names.map((name) => name.toLowerCase())))
    const needed = new Set(server.asked.map(({ method, path }) => permissionOf(method, path).toLowerCase()))
    expect([...needed].filter((name) => !allowed.has(name))).to.deep.equal([])
  })
})
