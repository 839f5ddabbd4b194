import { expect } from 'chai'
import { measure } from '#streams/cloud/azure/measure/measure.ts'
import type { MetricSamples, ResourceRef } from '#streams/cloud/connector.ts'
import { metricSources } from '#streams/metric/source.ts'
import { account, answerServer, fails, type Answer, type AnswerServer, type Question } from './answer-server.ts'
import { idFor } from './far-side.ts'
import { idOf } from './world.ts'

const at = (time: string): Date => new Date(`2026-03-${time}Z`)
const now = at('16T12:00:00').getTime()

const ref = (type: string, name: string, region = 'westeurope'): ResourceRef => ({
  resourceUid: idFor(type, name).toLowerCase(),
  type,
  region,
  instanceType: 'Standard_D2s_v3',
})

interface Point {
  time: string
  average?: number
  maximum?: number
  minimum?: number
  total?: number
}

const metric = (name: string, points: readonly Point[]) => ({
  id: `/subscriptions/s/providers/Microsoft.Insights/metrics/${name}`,
  // People read another one.
  name: { value: name, localizedValue: `${name} (Durchschnitt)` },
  timeseries: [{ data: points.map(({ time, ...rest }) => ({ timeStamp: at(time).toISOString(), ...rest })) }],
})

describe('samples of Azure Monitor', () => {
  let server: AnswerServer
  afterEach(() => server.close())
  const read = async (
    answers: (question: Question) => Answer,
    resources: readonly ResourceRef[],
    { from = at('16T08:00:00'), to = at('16T10:00:00'), step = 3600 } = {},
  ): Promise<MetricSamples[]> => {
    server = await answerServer(answers)
    return Array.fromAsync(measure(server.options, account, resources, from, to, step, now))
  }
  /** The id as Azure likes to write it. */
  const telling = (values: Readonly<Record<string, object[]>>) => (): Answer => ({
    body: { values: Object.entries(values).map(([uid, value]) => ({ resourceid: uid.toUpperCase(), value })) },
  })

  it('are means with their highest, totals as totals, and what is free turned into what is used', async () => {
    const vm = ref('azure-vm', 'one')
    const gib = 2 ** 30
    const samples = await read(
      telling({
        [vm.resourceUid]: [
          metric('Percentage CPU', [
            { time: '16T08:00:00', average: 10, maximum: 12 },
            { time: '16T08:05:00', average: 30, maximum: 80 },
            { time: '16T09:00:00', average: 5, maximum: 5 },
          ]),
          // Of 8 GiB that a Standard_D2s_v3 has.
          metric('Available Memory Bytes', [{ time: '16T08:00:00', average: 6 * gib, minimum: 2 * gib }]),
          metric('Network In Total', [
            { time: '16T08:00:00', total: 100 },
            { time: '16T08:55:00', total: 20.5 },
          ]),
          metric('Network Out Total', [{ time: '16T09:30:00' }]),
        ],
      }),
      [vm],
    )
    expect(samples).to.deep.equal([
      {
        resourceUid: vm.resourceUid,
        samples: [
          { metric: 'cpu_percent', value: 20, max: 80, ts: '2026-03-16T08:00:00.000Z' },
          { metric: 'memory_percent', value: 25, max: 75, ts: '2026-03-16T08:00:00.000Z' },
          { metric: 'network_bytes_in', value: 120.5, sum: 120.5, ts: '2026-03-16T08:00:00.000Z' },
          { metric: 'cpu_percent', value: 5, ts: '2026-03-16T09:00:00.000Z' },
        ],
      },
    ])
  })

  it('of several names are added, and have no highest', async () => {
    const disk = ref('azure-disk', 'one')
    const [found] = await read(
      telling({
        [disk.resourceUid]: [
          metric('Composite Disk Read Operations/sec', [{ time: '16T08:00:00', average: 3, maximum: 90 }]),
          metric('Composite Disk Write Operations/sec', [{ time: '16T08:00:00', average: 4, maximum: 90 }]),
        ],
      }),
      [disk],
    )
    expect(found?.samples).to.deep.equal([{ metric: 'iops', value: 7, ts: '2026-03-16T08:00:00.000Z' }])
  })

  it('are asked for by fifty of a type and a region, at the host of the region, for the audience of metrics', async () => {
    const single = ref('azure-postgres', 'old')
    single.resourceUid = single.resourceUid.replace('flexibleservers', 'servers')
    const many = Array.from({ length: 120 }, (_, n) => ref('azure-vm', `vm-${n}`))
    await read(telling({}), [
      ...many,
      ref('azure-vm', 'far', 'East US'),
      ref('azure-redis', 'r'),
      ref('azure-aks', 'a'),
      single,
    ])
    const batches = server.asked.filter(({ path }) => path.endsWith(':getBatch'))
    expect(batches.map(({ body, query }) => [body.resourceids.length, query['metricnamespace']])).to.deep.equal([
      [50, 'Microsoft.Compute/virtualMachines'],
      [50, 'Microsoft.Compute/virtualMachines'],
      [20, 'Microsoft.Compute/virtualMachines'],
      [1, 'Microsoft.Compute/virtualMachines'],
      [1, 'Microsoft.Cache/redis'],
    ])
    const [first] = batches
    expect(first?.query).to.deep.equal({
      'api-version': '2024-02-01',
      metricnamespace: 'Microsoft.Compute/virtualMachines',
      metricnames: 'Percentage CPU,Available Memory Bytes,Network In Total,Network Out Total',
      starttime: '2026-03-16T08:00:00.000Z',
      endtime: '2026-03-16T10:00:00.000Z',
      interval: 'PT5M',
      aggregation: 'average,maximum,minimum,total,count',
    })
    expect(first?.path).to.match(/^\/subscriptions\/[0-9-]+\/metrics:getBatch$/)
    expect(new Set(batches.map(({ token }) => token.split('-https')[1]))).to.deep.equal(
      new Set(['://metrics.monitor.azure.com/.default']),
    )
  })

  it('are of whole steps, a week at a time, of no more than Azure keeps, in the grain of the step', async () => {
    await read(telling({}), [ref('azure-redis', 'r')], { from: at('01T00:30:00'), to: at('16T10:00:00') })
    const spans = server.asked.map(({ query }) => [query['starttime'], query['endtime']])
    expect(spans).to.deep.equal([
      ['2026-03-01T01:00:00.000Z', '2026-03-08T01:00:00.000Z'],
      ['2026-03-08T01:00:00.000Z', '2026-03-15T01:00:00.000Z'],
      ['2026-03-15T01:00:00.000Z', '2026-03-16T10:00:00.000Z'],
    ])
    await server.close()
    await read(telling({}), [ref('azure-redis', 'r')], { from: at('16T09:58:00'), to: at('16T10:00:00'), step: 60 })
    expect(server.asked[0]?.query['interval']).to.equal('PT1M')
    await server.close()
    const before = { from: new Date('2024-01-01T00:00:00Z'), to: new Date('2025-12-01T00:00:00Z') }
    await read(telling({}), [ref('azure-redis', 'r')], before)
    expect(server.asked).to.deep.equal([])
  })

  it('of one batch that fails hold up no other, and the failure is told behind them', async () => {
    const [near, far] = [ref('azure-redis', 'near'), ref('azure-redis', 'far', 'eastus')]
    server = await answerServer(({ body }) =>
      body.resourceids[0] === near.resourceUid
        ? { status: 500 }
        : telling({ [far.resourceUid]: [metric('allserverLoad', [{ time: '16T08:00:00', average: 1 }])] })(),
    )
    const found: MetricSamples[] = []
    const reading = async () => {
      const all = measure(server.options, account, [near, far], at('16T08:00:00'), at('16T10:00:00'), 3600, now)
      for await (const one of all) found.push(one)
    }
    expect(await fails(reading())).to.equal('transient cloud_unavailable')
    expect(found.map(({ resourceUid }) => resourceUid)).to.deep.equal([far.resourceUid])
  })

  it('of a part are those of its account, by the names of the part, whatever their case', async () => {
    const ofAccount = idOf('Microsoft.DocumentDB/databaseAccounts', 'shop')
    const container = (name: string) => ({
      resourceUid: `${ofAccount}/sqlDatabases/Main/containers/${name}`.toLowerCase(),
      type: 'azure-cosmos-container',
      region: 'westeurope',
      specs: { database: 'Main', container: name },
    })
    const of = (databasename: string, collectionname: string, count: number) => ({
      metadatavalues: Object.entries({ databasename, collectionname }).map(([name, value]) => ({
        name: { value: name },
        value,
      })),
      data: [{ timeStamp: at('16T08:00:00').toISOString(), count }],
    })
    const name = { value: 'TotalRequests' }
    const timeseries = [of('main', 'Orders', 5), of('main', 'carts', 7), of('other', 'orders', 9)]
    const found = await read(telling({ [ofAccount]: [{ name, timeseries }] }), [
      container('Orders'),
      container('Carts'),
    ])
    expect(found.map(({ samples }) => samples)).to.deep.equal([
      [{ metric: 'requests', value: 5, sum: 5, ts: '2026-03-16T08:00:00.000Z' }],
      [{ metric: 'requests', value: 7, sum: 7, ts: '2026-03-16T08:00:00.000Z' }],
    ])
    // A database has the requests of all of its containers.
    const main = { ...container('x'), specs: { database: 'Main', container: null } }
    const database = { ...main, resourceUid: `${ofAccount}/sqlDatabases/Main`.toLowerCase() }
    await server.close()
    const [whole] = await read(telling({ [ofAccount]: [{ name, timeseries }] }), [database])
    expect(whole?.samples.map(({ value }) => value)).to.deep.equal([12])
    expect(server.asked.map(({ body, query }) => [body.resourceids, query['filter'], query['top']])).to.deep.equal([
      [[ofAccount.toLowerCase()], "DatabaseName eq '*' and CollectionName eq '*'", '10000'],
    ])
  })

  it('of blobs are those of the service of the account, what is stored by the hour', async () => {
    const storage = idOf('Microsoft.Storage/storageAccounts', 'one')
    const account = { resourceUid: storage.toLowerCase(), type: 'azure-storage-account', region: 'westeurope' }
    const told = (name: string, tier: string, point: object) => ({
      name: { value: name },
      timeseries: [
        {
          metadatavalues: [{ name: { value: name === 'BlobCapacity' ? 'tier' : 'apiname' }, value: tier }],
          data: [{ timeStamp: at('16T08:00:00').toISOString(), ...point }],
        },
      ],
    })
    const answers = ({ query }: Question): Answer => {
      const value = {
        PT1H: [told('BlobCapacity', 'Hot', { average: 5e11 })],
        PT5M: [told('Transactions', 'GetBlob', { total: 3 })],
      }[query['interval']!]
      const isOfBlobs = query['metricnamespace'] === 'Microsoft.Storage/storageAccounts/blobServices'
      return { body: { values: isOfBlobs ? [{ resourceid: `${storage}/blobServices/default`, value }] : [] } }
    }
    const [found] = await read(answers, [account])
    expect(found?.samples).to.deep.equal([
      { metric: 'read_requests', value: 3, sum: 3, ts: '2026-03-16T08:00:00.000Z' },
      { metric: 'blob_hot_gb', value: 500, ts: '2026-03-16T08:00:00.000Z' },
    ])
    expect(server.asked.map(({ body, query }) => [body.resourceids[0], query['filter']])).to.deep.equal([
      [account.resourceUid, undefined],
      [`${account.resourceUid}/blobservices/default`, "ApiName eq 'GetBlob' or ApiName eq 'ReadFile'"],
      [`${account.resourceUid}/blobservices/default`, "Tier eq 'Hot'"],
    ])
  })

  it('are in our units: rates as amounts, and what is used as a share of what there is', async () => {
    const one = (kind: string, type: string, more: object = {}): ResourceRef => ({
      resourceUid: idOf(kind, 'one').toLowerCase(),
      type,
      region: 'westeurope',
      ...more,
    })
    const point = (average: number) => [{ time: '16T08:00:00', average }]
    const valueOf = async (ref: ResourceRef, metrics: Record<string, number>) => {
      const told = Object.entries(metrics).map(([name, average]) => metric(name, point(average)))
      const [found] = await read(telling({ [ref.resourceUid]: told }), [ref])
      await server.close()
      return found?.samples.map(({ value }) => value)
    }
    // Bits a second for five minutes: 8 bits are a byte, 300 s.
    const circuit = one('Microsoft.Network/expressRouteCircuits', 'azure-er-circuit')
    expect(await valueOf(circuit, { BitsInPerSecond: 80, BitsOutPerSecond: 160 })).to.deep.equal([9000])
    const search = one('Microsoft.Search/searchServices', 'azure-ai-search')
    expect(await valueOf(search, { SearchQueriesPerSecond: 0.5 })).to.deep.equal([150])
    const endpoints = 'Microsoft.MachineLearningServices/workspaces'
    const endpoint = one(`${endpoints}/w/onlineEndpoints`, 'azure-ml-endpoint')
    expect(await valueOf(endpoint, { RequestsPerMinute: 4 })).to.deep.equal([20])
    // Of 2 processors, 500 thousandths of one; of 4 TiB, 1.
    const group = one('Microsoft.ContainerInstance/containerGroups', 'azure-container-group', { specs: { cpu: 2 } })
    expect(await valueOf(group, { CpuUsage: 500 })).to.deep.equal([25])
    const pool = one('Microsoft.NetApp/netAppAccounts/a/capacityPools', 'azure-netapp-pool', { sizeGB: 4096 })
    expect(await valueOf(pool, { VolumePoolTotalLogicalSize: 2 ** 40 })).to.deep.equal([25])
    expect(await valueOf({ ...pool, sizeGB: undefined } as never, { VolumePoolTotalLogicalSize: 1 })).to.equal(
      undefined,
    )
    await read(telling({}), [circuit])
  })

  it('are asked for by names that no blank cuts', () => {
    const names = metricSources.filter(({ type }) => type.startsWith('azure-')).flatMap((one) => one.names)
    expect(names).to.include('Percentage+CPU')
    expect(names.filter((name) => name === '' || name.includes(','))).to.deep.equal([])
  })
})
