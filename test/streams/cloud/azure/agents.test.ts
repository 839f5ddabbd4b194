import { expect } from 'chai'
import { measure } from '#streams/cloud/azure/measure/measure.ts'
import type { CloudAccount, MetricSamples, ResourceRef } from '#streams/cloud/connector.ts'
import {
  account,
  answerServer,
  armError,
  fails,
  type Answer,
  type AnswerServer,
  type Question,
  type ServerOptions,
} from './answer-server.ts'
import { idFor } from './far-side.ts'

const at = (time: string): Date => new Date(`2026-03-16T${time}:00Z`)
const machine = (name: string, instanceType = 'Standard_D2s_v3'): ResourceRef => ({
  resourceUid: idFor('azure-vm', name).toLowerCase(),
  type: 'azure-vm',
  region: 'westeurope',
  instanceType,
})
const [first, second] = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002']
const workspace = (customerId: string) => ({
  id: `/subscriptions/s/resourceGroups/g/providers/Microsoft.OperationalInsights/workspaces/${customerId}`,
  properties: { customerId },
})

type Row = readonly [uid: string, metric: string, at: string, mean: unknown, highest: unknown]

/** As Log Analytics answers: its columns in an order of its own. */
const table = (...rows: readonly Row[]): Answer => ({
  body: {
    tables: [
      {
        name: 'PrimaryResult',
        columns: [
          { name: 'metric', type: 'string' },
          { name: 'at', type: 'datetime' },
          { name: 'uid', type: 'string' },
          { name: 'highest', type: 'real' },
          { name: 'mean', type: 'real' },
        ],
        rows: rows.map(([uid, metric, time, mean, highest]) => [metric, `2026-03-16T${time}:00Z`, uid, highest, mean]),
      },
    ],
  },
})

const isQuery = ({ path }: Question): boolean => path.startsWith('/v1/workspaces/')
const isList = ({ path }: Question): boolean => path.endsWith('/Microsoft.OperationalInsights/workspaces')

describe('memory and disks of machines of Azure', () => {
  let server: AnswerServer
  afterEach(() => server.close())

  interface Side {
    list?: Answer
    query?: (question: Question, times: number) => Answer
    metrics?: Answer
  }
  const serve = async (
    {
      list = { body: { value: [workspace(first!)] } },
      query = () => table(),
      metrics = { body: { values: [] } },
    }: Side,
    options: ServerOptions = {},
  ) => {
    server = await answerServer((question, times) => {
      if (isList(question)) return list
      return isQuery(question) ? query(question, times) : metrics
    }, options)
  }
  const read = (refs: readonly ResourceRef[], step = 3600, of: CloudAccount = account): Promise<MetricSamples[]> =>
    Array.fromAsync(measure(server.options, of, refs, at('08:00'), at('10:00'), step, at('12:00').getTime()))

  const cpu = (ref: ResourceRef): Answer => ({
    body: {
      values: [
        {
          resourceid: ref.resourceUid,
          value: [
            {
              id: `${ref.resourceUid}/providers/Microsoft.Insights/metrics/Percentage CPU`,
              name: { value: 'Percentage CPU' },
              timeseries: [{ data: [{ timeStamp: at('08:00').toISOString(), average: 10 }] }],
            },
          ],
        },
      ],
    },
  })
  const cpuOf = { metric: 'cpu_percent', value: 10, ts: '2026-03-16T08:00:00.000Z' }

  it('are what agents wrote, of whichever workspace, beside what Azure itself measures', async () => {
    const one = machine('one', 'Standard_Unheard_Of')
    await serve({
      list: { body: { value: [workspace(first!), workspace(second!)] } },
      query: ({ path }) =>
        path.includes(first!)
          ? table(
              [one.resourceUid, 'disk_percent', '08:00', 61.5, 62],
              [one.resourceUid, 'disk_percent', '09:00', 63, 63],
            )
          : table([one.resourceUid, 'memory_percent', '08:00', 40, 90]),
      metrics: cpu(one),
    })
    expect(await read([one])).to.deep.equal([
      {
        resourceUid: one.resourceUid,
        samples: [
          cpuOf,
          { metric: 'memory_percent', value: 40, max: 90, ts: '2026-03-16T08:00:00.000Z' },
          { metric: 'disk_percent', value: 61.5, max: 62, ts: '2026-03-16T08:00:00.000Z' },
          { metric: 'disk_percent', value: 63, ts: '2026-03-16T09:00:00.000Z' },
        ],
      },
    ])
  })

  it('are those of Azure where it tells memory too', async () => {
    const one = machine('one')
    const gib = 2 ** 30
    await serve({
      query: () => table([one.resourceUid, 'memory_percent', '08:00', 99, 99]),
      metrics: {
        body: {
          values: [
            {
              resourceid: one.resourceUid,
              value: [
                {
                  name: { value: 'Available Memory Bytes' },
                  timeseries: [
                    { data: [{ timeStamp: at('08:00').toISOString(), average: 6 * gib, minimum: 6 * gib }] },
                  ],
                },
              ],
            },
          ],
        },
      },
    })
    expect((await read([one]))[0]?.samples).to.deep.equal([
      { metric: 'memory_percent', value: 25, ts: '2026-03-16T08:00:00.000Z' },
    ])
  })

  it('are asked for once a workspace for many machines, in their steps, for the audience of logs', async () => {
    await serve({})
    await read([machine('one'), machine('two')])
    const [question, ...others] = server.asked.filter(isQuery)
    expect(others).to.deep.equal([])
    expect([question?.method, question?.path]).to.deep.equal(['POST', `/v1/workspaces/${first}/query`])
    expect(question?.token).to.match(/https:\/\/api\.loganalytics\.io\/\.default$/)
    expect(question?.body.timespan).to.equal('2026-03-16T08:00:00.000Z/2026-03-16T10:00:00.000Z')
    const ids = [machine('one'), machine('two')].map(({ resourceUid }) => `"${resourceUid}"`).join(', ')
    expect(question?.body.query).to.include(`| where uid in (${ids})`).and.to.include('bin(TimeGenerated, 3600s)')
    expect(server.asked.filter(isList)).to.have.length(1)
  })

  it('are not asked for of what is no machine, nor by the minute', async () => {
    await serve({})
    const cache: ResourceRef = {
      ...machine('x'),
      type: 'azure-redis',
      resourceUid: idFor('azure-redis', 'x').toLowerCase(),
    }
    await read([cache])
    await read([machine('one')], 60)
    expect(server.asked.filter((one) => isList(one) || isQuery(one))).to.deep.equal([])
  })

  const absent: readonly (readonly [string, Side, ServerOptions?])[] = [
    ['there is no workspace', { list: { body: { value: [] } } }],
    ['workspaces may not be listed', { list: armError(403, 'AuthorizationFailed') }],
    ['nobody has registered Log Analytics', { list: armError(409, 'MissingSubscriptionRegistration') }],
    ['a workspace has an id of another kind', { list: { body: { value: [workspace('../../x'), workspace('')] } } }],
    ['a workspace may not be read', { query: () => armError(403, 'InsufficientAccessError') }],
    ['a workspace is gone', { query: () => armError(404, 'WorkspaceNotFoundError') }],
    [
      'a table is another',
      { query: () => armError(400, 'BadArgumentError', 'The request had some invalid properties') },
    ],
    ['the token is not taken', { query: () => armError(401, 'InvalidTokenError') }],
    [
      'rows are of another kind',
      {
        query: () =>
          table(
            [machine('one').resourceUid, 'x', '08:00', 1, 1],
            [machine('one').resourceUid, 'disk_percent', 'noon', 1, 1],
            [machine('one').resourceUid, 'disk_percent', '08:00', null, '1'],
          ),
      },
    ],
    [
      'Entra knows no such audience',
      {},
      {
        signIn: (_, asked) =>
          asked.get('scope')?.includes('loganalytics')
            ? { status: 400, body: { error: 'invalid_resource', error_description: 'AADSTS500011: not found' } }
            : { body: { expires_in: 3600, access_token: 't' } },
      },
    ],
  ]
  for (const [why, side, options] of absent)
    it(`are none where ${why}: all else is measured, and nothing is a failure`, async () => {
      await serve({ ...side, metrics: cpu(machine('one')) }, options)
      expect(await read([machine('one')])).to.deep.equal([
        { resourceUid: machine('one').resourceUid, samples: [cpuOf] },
      ])
    })

  const passing: readonly (readonly [string, (times: number) => Answer, string])[] = [
    ['is out', () => armError(503, 'ServiceUnavailable'), 'transient cloud_unavailable'],
    [
      'asks for fewer questions',
      () => armError(429, 'ThrottledError', 'slow', { 'retry-after': '3' }),
      'transient throttled',
    ],
    ['answers with a page', () => ({ body: '<html></html>' }), 'system unknown_answer'],
    ['answers with a list', () => ({ body: '[]' }), 'system unknown_answer'],
    ['answers without tables', () => ({ body: {} }), 'system unknown_answer'],
    [
      'has read a part only',
      () => ({ body: { ...(table().body as object), error: { code: 'PartialError', message: 'too large' } } }),
      'transient cloud_unavailable',
    ],
  ]
  for (const [what, answer, meaning] of passing)
    it(`that cannot be had while Log Analytics ${what} hold up nothing else, and are told behind it`, async () => {
      await serve({ query: (_, times) => answer(times), metrics: cpu(machine('one')) })
      const found: MetricSamples[] = []
      const reading = (async () => {
        const all = measure(
          server.options,
          account,
          [machine('one')],
          at('08:00'),
          at('10:00'),
          3600,
          at('12:00').getTime(),
        )
        for await (const one of all) found.push(one)
      })()
      expect(await fails(reading)).to.equal(meaning)
      expect(found).to.deep.equal([{ resourceUid: machine('one').resourceUid, samples: [cpuOf] }])
      expect(server.asked.filter(isQuery).length).to.be.greaterThan(1)
    })

  it('come with the next try where one fails', async () => {
    const one = machine('one')
    await serve({
      query: (_, times) =>
        times === 0 ? armError(503, 'ServiceUnavailable') : table([one.resourceUid, 'disk_percent', '08:00', 5, 5]),
    })
    expect(await read([one])).to.deep.equal([
      { resourceUid: one.resourceUid, samples: [{ metric: 'disk_percent', value: 5, ts: '2026-03-16T08:00:00.000Z' }] },
    ])
  })

  it('of two accounts at once are each asked for with the token of its own', async () => {
    const one = machine('one')
    await serve({
      query: ({ token }) => table([one.resourceUid, 'disk_percent', '08:00', Number(token.split('-')[1]), 100]),
    })
    const found = await Promise.all([read([one]), read([one], 3600, { ...account, id: 'acct-2' })])
    const values = found.map(([message]) => message?.samples[0]?.value)
    expect(new Set(values).size).to.equal(2)
    expect(new Set(server.asked.filter(isQuery).map(({ token }) => token)).size).to.equal(2)
  })
})
