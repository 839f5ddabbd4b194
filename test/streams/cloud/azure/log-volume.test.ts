import { expect } from 'chai'
import { measure } from '#streams/cloud/azure/measure/measure.ts'
import type { MetricSamples, ResourceRef } from '#streams/cloud/connector.ts'
import {
  account,
  answerServer,
  armError,
  subscription,
  type Answer,
  type AnswerServer,
  type Question,
} from './answer-server.ts'

const workspace = (name: string): ResourceRef => ({
  resourceUid: `/subscriptions/${subscription}/resourcegroups/rg/providers/microsoft.operationalinsights/workspaces/${name}`,
  type: 'azure-log-analytics',
  region: 'westeurope',
})
const [shop, bank] = [workspace('shop'), workspace('bank')]
const ids = { shop: 'aaaaaaaa-0000-4000-8000-000000000001', bank: 'aaaaaaaa-0000-4000-8000-000000000002' }

/** Times and gigabytes, as Log Analytics answers. */
const table = (...rows: readonly (readonly [at: string, gb: unknown])[]): Answer => ({
  body: {
    tables: [
      {
        name: 'PrimaryResult',
        columns: [
          { name: 'at', type: 'datetime' },
          { name: 'gb', type: 'real' },
        ],
        rows,
      },
    ],
  },
})

describe('what workspaces of Log Analytics take in', () => {
  let server: AnswerServer
  afterEach(() => server.close())

  const serve = async (query: (question: Question) => Answer) => {
    const all = [shop, bank].map(({ resourceUid }, at) => ({
      id: resourceUid.replace('/resourcegroups/', '/resourceGroups/'),
      properties: { customerId: Object.values(ids)[at] },
    }))
    server = await answerServer((question) =>
      question.path.startsWith('/v1/workspaces/') ? query(question) : { body: { value: all } },
    )
  }
  const read = (refs: readonly ResourceRef[], step = 3600): Promise<MetricSamples[]> => {
    const [from, to, now] = ['08:00', '10:00', '10:05'].map((time) => new Date(`2026-03-16T${time}:00Z`)) as [
      Date,
      Date,
      Date,
    ]
    return Array.fromAsync(measure(server.options, account, refs, from, to, step, now.getTime()))
  }
  const queries = () => server.asked.filter(({ path }) => path.startsWith('/v1/workspaces/'))

  it('is the billed data of an hour, with that of the day before, which is written late', async () => {
    await serve(({ path }) =>
      path.includes(ids.shop)
        ? table(['2026-03-15T08:00:00Z', 4.25], ['2026-03-16T07:00:00Z', 5], ['2026-03-16T08:00:00Z', 6.5])
        : table(['2026-03-16T08:00:00Z', 0.5], ['noon', 1], ['2026-03-16T09:00:00Z', null]),
    )
    const sample = (ts: string, value: number) => ({ metric: 'log_ingest_gb', value, sum: value, ts })
    expect(await read([shop, bank])).to.deep.equal([
      {
        resourceUid: shop.resourceUid,
        samples: [
          sample('2026-03-15T08:00:00.000Z', 4.25),
          sample('2026-03-16T07:00:00.000Z', 5),
          sample('2026-03-16T08:00:00.000Z', 6.5),
        ],
      },
      { resourceUid: bank.resourceUid, samples: [sample('2026-03-16T08:00:00.000Z', 0.5)] },
    ])
  })

  it('is asked of its own workspace, in hours, of records that are written up to a day later', async () => {
    await serve(() => table())
    await read([bank])
    const [question, ...others] = queries()
    expect([question?.path, others]).to.deep.equal([`/v1/workspaces/${ids.bank}/query`, []])
    expect(question?.body.timespan).to.equal('2026-03-15T08:00:00.000Z/2026-03-17T10:00:00.000Z')
    expect(question?.body.query.split('\n')).to.deep.equal([
      'Usage',
      '| where IsBillable and StartTime >= datetime(2026-03-15T08:00:00.000Z) and StartTime < datetime(2026-03-16T10:00:00.000Z)',
      '| summarize gb = sum(Quantity) / 1000.0 by at = bin(StartTime, 3600s)',
    ])
  })

  it('is unknown of a workspace that may not be read, and not asked for in minutes', async () => {
    await serve(({ path }) =>
      path.includes(ids.shop) ? armError(403, 'InsufficientAccessError') : table(['2026-03-16T09:00:00Z', 2]),
    )
    expect((await read([shop, bank])).map(({ resourceUid }) => resourceUid)).to.deep.equal([bank.resourceUid])
    const count = queries().length
    expect(await read([shop, bank], 300)).to.deep.equal([])
    expect(queries().length).to.equal(count)
  })

  it('is told of applications by the records that they sent to any workspace', async () => {
    const application: ResourceRef = {
      resourceUid: `/subscriptions/${subscription}/resourcegroups/rg/providers/microsoft.insights/components/web`,
      type: 'azure-app-insights',
      region: 'westeurope',
    }
    await serve(({ path }) => {
      const rows = path.includes(ids.shop)
        ? [
            [application.resourceUid, '2026-03-16T07:00:00Z', 1.5],
            [application.resourceUid, '2026-03-16T08:00:00Z', 2],
          ]
        : []
      const columns = [
        { name: 'uid', type: 'string' },
        { name: 'at', type: 'datetime' },
        { name: 'gb', type: 'real' },
      ]
      return { body: { tables: [{ name: 'PrimaryResult', columns, rows }] } }
    })
    const found = await read([application])
    expect(found.flatMap(({ samples }) => samples.map(({ metric, value, ts }) => [metric, value, ts]))).to.deep.equal([
      ['log_ingest_gb', 1.5, '2026-03-16T07:00:00.000Z'],
      ['log_ingest_gb', 2, '2026-03-16T08:00:00.000Z'],
    ])
    const [question] = queries()
    expect(question?.body.timespan).to.equal('2026-03-16T07:00:00.000Z/2026-03-16T10:00:00.000Z')
    expect(question?.body.query).to.include(`uid in ("${application.resourceUid}")`)
    expect(await read([application], 300)).to.deep.equal([])
  })
})
