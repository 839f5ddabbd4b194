import { expect } from 'chai'
import type { Connector } from '#streams/cloud/connector.ts'
import { account, fails, type AnswerServer } from './answer-server.ts'
import { bodies, driving, refOf, seed, type Driving } from './driving.ts'
import { FarSide, type Body, type Power } from './far-side.ts'

describe('how large what is at Azure is made', () => {
  let far: FarSide
  let server: AnswerServer
  let cloud: Connector
  let driven: Driving['driven']
  const serving = async (side: FarSide, random?: () => number) => {
    far = side
    ;({ server, cloud, driven } = await driving(side, random))
  }
  afterEach(() => server.close())

  const sized: [string, string, Body, Power][] = [
    ['azure-vm', 'Standard_D4s_v3', bodies['azure-vm']!, 'off'],
    ['azure-vmss', 'Standard_D4s_v3', bodies['azure-vmss']!, 'on'],
    ['azure-sql-database', 'GP_Gen5_4', { sku: { name: 'GP_Gen5_2' } }, 'on'],
    ['azure-postgres', 'Standard_E4s_v3', bodies['azure-postgres']!, 'on'],
    ['azure-mysql', 'Standard_B2s', { sku: { name: 'Standard_D2s_v3' } }, 'on'],
    ['azure-redis', 'C2', { properties: { sku: { name: 'Standard', family: 'C', capacity: 1 } } }, 'on'],
    ['azure-app-service-plan', 'P1v3', { sku: { name: 'P2v3', capacity: 2 } }, 'on'],
  ]
  for (const [type, size, body, power] of sized)
    it(`makes ${type} of another size, once`, async () => {
      for (const n of [0, 1, 2, 3]) {
        await serving(new FarSide(), n === 0 ? undefined : seed(n + 10))
        const thing = far.add(type, 'one', power, structuredClone(body))
        await driven(
          { id: 'r', kind: 'resize', resource: refOf(type), size },
          ({ instanceType }) => instanceType === size,
        )
        expect(thing.effects, `${type} ${n}`).to.deep.equal(['write'])
        if (n < 3) await server.close()
      }
    })

  it('makes no machine of another size while it runs, and none of no size', async () => {
    await serving(new FarSide())
    const thing = far.add('azure-vm', 'one', 'on', structuredClone(bodies['azure-vm']!))
    const resize = (size?: string) =>
      fails(cloud.act(account, { id: 'r', kind: 'resize', resource: refOf('azure-vm'), ...(size && { size }) }))
    expect([await resize('Standard_D4s_v3'), await resize()]).to.deep.equal([
      'user_action invalid_state',
      'user_action invalid_size',
    ])
    expect(thing.effects).to.deep.equal([])
  })

  const autoscale = (id: string): Body => ({
    properties: {
      enabled: true,
      targetResourceUri: id,
      profiles: [
        { name: 'usual', capacity: { minimum: '2', maximum: '4', default: '2' }, rules: [{ a: 1 }] },
        { name: 'night' },
      ],
    },
  })

  it('scales a set with its setting: the bounds and the number, each once, and nothing else of the setting', async () => {
    for (const n of [0, 1, 2, 3]) {
      await serving(new FarSide(), n === 0 ? undefined : seed(n + 20))
      const set = far.add('azure-vmss', 'one', 'on', structuredClone(bodies['azure-vmss']!))
      const setting = far.add('azure-autoscale', 'scales', 'on', autoscale(set.id))
      const resource = refOf('azure-vmss')
      const params = { min: 3, max: 8, desired: 6 }
      await driven(
        { id: 's', kind: 'scale', resource, params },
        ({ capacity }) => capacity?.desired === 6 && capacity.max === 8,
      )
      expect((await cloud.look(account, resource)).capacity).to.deep.equal(params)
      expect([set.effects, setting.effects, set.body['sku']]).to.deep.equal([
        ['write'],
        ['write'],
        { name: 'Standard_D2s_v3', capacity: 6 },
      ])
      expect(setting.body['properties'].profiles).to.deep.equal([
        { name: 'usual', capacity: { minimum: '3', maximum: '8', default: '6' }, rules: [{ a: 1 }] },
        { name: 'night' },
      ])
      if (n < 3) await server.close()
    }
  })

  it('scales a set without a setting by its number alone, to none and back', async () => {
    await serving(new FarSide(), seed(31))
    const set = far.add('azure-vmss', 'one', 'on', structuredClone(bodies['azure-vmss']!))
    const resource = refOf('azure-vmss')
    await driven(
      { id: 'a', kind: 'scale', resource, params: { min: 0, max: 5, desired: 0 } },
      ({ status }) => status === 'stopped',
    )
    await driven(
      { id: 'b', kind: 'start', resource, params: { desired: 4 } },
      ({ capacity }) => capacity?.desired === 4,
    )
    expect([set.effects, set.body['sku'].capacity]).to.deep.equal([['write', 'write'], 4])
  })

  for (const isScaled of [true, false])
    it(`scales a pool of nodes ${isScaled ? 'within the bounds that scale it' : 'that nothing scales'}, once`, async () => {
      for (const n of [0, 1, 2, 3]) {
        await serving(new FarSide(), n === 0 ? undefined : seed(n + 40))
        const bounds = isScaled ? { enableAutoScaling: true, minCount: 1, maxCount: 4 } : {}
        const pool = far.add('azure-aks-nodepool', 'one', 'on', {
          properties: { count: 3, vmSize: 'Standard_D2s_v3', mode: 'User', nodeLabels: { a: 'b' }, ...bounds },
        })
        const params = { min: 2, max: 9, desired: 5 }
        await driven(
          { id: 's', kind: 'scale', resource: refOf('azure-aks-nodepool'), params },
          ({ capacity, status }) => capacity?.desired === 5 && status === 'running',
        )
        expect(pool.effects).to.deep.equal(['write'])
        expect(pool.body['properties']).to.deep.equal({
          count: 5,
          vmSize: 'Standard_D2s_v3',
          mode: 'User',
          nodeLabels: { a: 'b' },
          ...(isScaled && { enableAutoScaling: true, minCount: 2, maxCount: 9 }),
        })
        if (n < 3) await server.close()
      }
    })
})
