import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import type { CloudAccount, MetricSamples, ResourceRef } from '#streams/cloud/connector.ts'
import { measure } from '#streams/cloud/gcp/measure/measure.ts'
import { authClientOf } from '#streams/cloud/gcp/session/package.ts'
import {
  account,
  denied,
  fails,
  farGoogle,
  refusing,
  type Answer,
  type FarGoogle,
  type FarOptions,
  type Question,
} from './far-google.ts'

const machine = (name: string, id: string): ResourceRef => ({
  resourceUid: `projects/shop-prod/zones/us-central1-a/instances/${name}`,
  type: 'gcp-vm',
  region: 'us-central1',
  specs: { instance_id: id, gpu_count: 0 },
})
const web = machine('web', '11')
const from = new Date('2026-01-01T10:00:00Z')
const to = new Date('2026-01-01T12:00:00Z')

/** One point that ends at a time of that day. */
const point = (id: string, at: string, doubleValue: number) => ({
  resource: { labels: { instance_id: id } },
  points: [{ interval: { endTime: `2026-01-01T${at}:00Z` }, value: { doubleValue } }],
})
const isOfCpu = ({ query }: Question) => String(query.get('filter')).includes('instance/cpu/utilization')

describe('packages of Google', () => {
  let far: FarGoogle
  afterEach(() => far.close())
  const answering = async (answer: (question: Question, times: number) => Answer, more: FarOptions = {}) => {
    let times = 0
    far = await farGoogle((question) => (isOfCpu(question) ? answer(question, ++times) : {}), more)
  }
  const read = (of: CloudAccount = account, ref = web): Promise<MetricSamples[]> =>
    Array.fromAsync(measure(far.options, of, [ref], from, to))
  const cpu = (resourceUid: string, ...values: readonly (readonly [hour: number, value: number])[]) => [
    {
      resourceUid,
      samples: values.map(([hour, value]) => ({ metric: 'cpu_percent', value, ts: `2026-01-01T${hour}:00:00.000Z` })),
    },
  ]

  it('read all pages, of which each goes on where the last ended', async () => {
    const pages: Record<string, object> = {
      '': { timeSeries: [point('11', '11:05', 0.5)], nextPageToken: 'second page' },
      'second page': { timeSeries: [point('11', '10:05', 0.25)], nextPageToken: 'third' },
      third: { timeSeries: [] },
    }
    await answering(({ query }) => ({ body: pages[query.get('pageToken') ?? ''] }))
    expect(await read()).to.deep.equal(cpu(web.resourceUid, [10, 25], [11, 50]))
    expect(far.questions.filter(isOfCpu).map(({ query }) => query.get('pageToken'))).to.deep.equal([
      null,
      'second page',
      'third',
    ])
  })

  for (const [what, answer] of [
    ['is out for a moment', refusing(503, 'UNAVAILABLE')],
    ['loses an answer', { isLost: true }],
    ['sends a page of a proxy', { status: 200, body: '<html>sign in</html>' }],
    ['cuts an answer', { body: '{"timeSeries":[' }],
  ] as const)
    it(`ask again where Google ${what}, and have all that is there`, async () => {
      await answering((_, times) => (times === 1 ? answer : { body: { timeSeries: [point('11', '10:05', 0.25)] } }))
      expect(await read()).to.deep.equal(cpu(web.resourceUid, [10, 25]))
      expect(far.questions.filter(isOfCpu)).to.have.length(2)
    })

  const meanings: readonly (readonly [string, Answer, string, number])[] = [
    ['a 503', refusing(503, 'UNAVAILABLE'), 'transient cloud_unavailable', 4],
    ['an empty 502', { status: 502, body: '' }, 'transient cloud_unavailable', 4],
    ['a permission that is missing', denied('monitoring.timeSeries.list'), 'user_action permission_missing', 1],
    ['a token that is taken no more', refusing(401, 'UNAUTHENTICATED'), 'user_action credentials_refused', 1],
    ['a page of HTML', { body: '<html></html>' }, 'system unknown_answer', 4],
    ['a list', { body: '[]' }, 'system unknown_answer', 4],
    ['a text', { body: '"none"' }, 'system unknown_answer', 4],
    ['series that are no list', { body: { timeSeries: 'none' } }, 'system unknown_answer', 4],
    ['a time that is none', { body: { timeSeries: [point('11', 'noon', 1)] } }, 'system unknown_answer', 4],
    [
      'another place to ask',
      { status: 302, headers: { location: 'https://evil.example/' }, body: '' },
      'system unknown_answer',
      4,
    ],
  ]
  for (const [what, answer, meaning, times] of meanings)
    it(`tell ${what} as ${meaning}, after as many tries as the rules of calls allow`, async () => {
      await answering(() => answer)
      expect(await fails(read())).to.equal(meaning)
      expect(far.questions.filter(isOfCpu)).to.have.length(times)
    })

  it('wait as long as Google says', async () => {
    await answering(() => ({ ...refusing(429, 'RESOURCE_EXHAUSTED', 'Slow down.'), headers: { 'retry-after': '7' } }), {
      rules: { tries: 1 },
    })
    const error = await read().catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(Fault)
    expect((error as Fault).code).to.equal('throttled')
    expect((error as Fault).detail).to.deep.include({ bucket: 'transient', retryAfterMs: 7000 })
  })

  it('drop an answer that is larger than may be', async () => {
    await answering(() => ({ body: { timeSeries: [point('11', '10:05', 1)], unit: 'x'.repeat(5000) } }), {
      bytesMax: 4000,
    })
    expect(await fails(read())).to.equal('system answer_too_large')
  })

  it('ask for two accounts at once, each with its own token and its own answer', async () => {
    const of = (id: string): CloudAccount => ({ ...account, id })
    await answering(({ query }) => {
      const id = /instance_id = "(\d+)"/.exec(String(query.get('filter')))?.[1] ?? ''
      return { body: { timeSeries: [point(id, '10:05', Number(id) / 100)] } }
    })
    const pairs = [
      ['acct-1', machine('web', '11')],
      ['acct-2', machine('api', '22')],
    ] as const
    const found = await Promise.all(pairs.map(([id, ref]) => read(of(id), ref)))
    expect(found).to.deep.equal([cpu(pairs[0][1].resourceUid, [10, 11]), cpu(pairs[1][1].resourceUid, [10, 22])])
    const used = new Map<string, Set<string>>()
    for (const { query, token } of far.questions) {
      const id = /instance_id = "(\d+)"/.exec(String(query.get('filter')))?.[1] ?? ''
      used.set(id, (used.get(id) ?? new Set()).add(token))
    }
    expect([...used.values()].map(({ size }) => size)).to.deep.equal([1, 1])
    expect(new Set([...used.values()].flatMap((one) => [...one])).size).to.equal(2)
  })

  it('reach no address but those of Google that we call, and give their token to no other', async () => {
    await answering(() => ({}))
    let tokens = 0
    const client = await authClientOf(far.options, { token: async () => `t${++tokens}`, keep: 'x' })
    const hostile = [
      'https://evil.example/v3/projects/p/timeSeries',
      'http://monitoring.googleapis.com/v3/projects/p/timeSeries',
      'https://monitoring.googleapis.com:8443/v3',
      'https://monitoring.googleapis.com.evil.example/v3',
      'https://evil.monitoring.googleapis.com/v3',
      'https://user@monitoring.googleapis.com/v3',
      'https://translation.googleapis.com/v3/projects/p/glossaries',
      'https://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token',
      'http://169.254.169.254/computeMetadata/v1/project/project-id',
      'http://127.0.0.1:1/',
      'https://constructor.googleapis.com/',
    ]
    for (const url of hostile) {
      const error = await client.request({ url }).catch((thrown: unknown) => thrown)
      expect((error as Error).cause, url).to.be.instanceOf(Error)
      expect(String((error as Error).cause), url).to.match(/not an address of Google Cloud|user name|credentials/)
    }
    expect([tokens, far.asked]).to.deep.equal([0, []])
    await client.request({ url: 'https://monitoring.googleapis.com:443/v3/x' })
    expect([tokens, far.asked]).to.deep.equal([1, ['GET /v3/x']])
  })
})
