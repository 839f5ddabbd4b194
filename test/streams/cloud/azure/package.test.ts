import { createHttpHeaders, createPipelineRequest } from '@azure/core-rest-pipeline'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { measure } from '#streams/cloud/azure/measure/measure.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { httpClientOf } from '#streams/cloud/azure/session/package.ts'
import type { CloudAccount, MetricSamples, ResourceRef } from '#streams/cloud/connector.ts'
import {
  account,
  answerServer,
  armError,
  fails,
  type Answer,
  type AnswerServer,
  type Question,
} from './answer-server.ts'
import { idFor } from './far-side.ts'

const cache = (name: string): ResourceRef => ({
  resourceUid: idFor('azure-redis', name).toLowerCase(),
  type: 'azure-redis',
  region: 'westeurope',
})
const from = new Date('2026-03-16T08:00:00Z')
const to = new Date('2026-03-16T10:00:00Z')
const now = new Date('2026-03-16T12:00:00Z').getTime()

const load = (resourceid: string, average: unknown): Answer => ({
  body: {
    values: [
      {
        resourceid,
        value: [
          {
            id: `${resourceid}/providers/Microsoft.Insights/metrics/allserverLoad`,
            name: { value: 'allserverLoad', localizedValue: 'Server Load' },
            timeseries: [{ data: [{ timeStamp: '2026-03-16T08:00:00Z', average }] }],
          },
        ],
      },
    ],
  },
})
const cpuOf = ({ resourceUid }: ResourceRef, value: number): MetricSamples[] => [
  { resourceUid, samples: [{ metric: 'cpu_percent', value, ts: '2026-03-16T08:00:00.000Z' }] },
]

describe('packages of Azure', () => {
  let server: AnswerServer
  afterEach(() => server.close())
  const read = (ref: ResourceRef, of: CloudAccount = account): Promise<MetricSamples[]> =>
    Array.fromAsync(measure(server.options, of, [ref], from, to, 3600, now))
  const one = cache('one')

  for (const [what, answer] of [
    ['is out for a moment', armError(503, 'ServiceUnavailable')],
    ['loses an answer', { isLost: true }],
    ['sends a page of a proxy', { body: '<html>sign in</html>' }],
    ['cuts an answer', { body: '{"values":[' }],
    ['takes a token no more', armError(401, 'ExpiredAuthenticationToken')],
  ] as const)
    it(`ask again where Azure ${what}, and have all that is there`, async () => {
      server = await answerServer((_, times) => (times === 0 ? answer : load(one.resourceUid, 40)))
      expect(await read(one)).to.deep.equal(cpuOf(one, 40))
      expect(server.asked).to.have.length(2)
    })

  const tries = 3
  const meanings: readonly (readonly [string, Answer, string, number])[] = [
    ['a 503', armError(503, 'ServiceUnavailable'), 'transient cloud_unavailable', tries],
    ['an empty 502', { status: 502 }, 'transient cloud_unavailable', tries],
    ['a 429', armError(429, 'TooManyRequests', 'Slow.', { 'retry-after': '5' }), 'transient throttled', tries],
    ['a permission that is missing', armError(403, 'AuthorizationFailed'), 'user_action permission_missing', 1],
    ['a page of HTML', { body: '<html></html>' }, 'system unknown_answer', tries],
    ['a list', { body: '[]' }, 'system unknown_answer', tries],
    ['nothing', { body: '' }, 'system unknown_answer', tries],
    ['values that are no list', { body: { values: 7 } }, 'system unknown_answer', tries],
    [
      'a value without metrics',
      { body: { values: [{ resourceid: one.resourceUid }] } },
      'system unknown_answer',
      tries,
    ],
    [
      'another place to ask',
      { status: 307, headers: { location: 'https://evil.example/' } },
      'system unknown_answer',
      tries,
    ],
  ]
  for (const [what, answer, meaning, times] of meanings)
    it(`tell ${what} as ${meaning}, after as many tries as the rules of calls allow`, async () => {
      server = await answerServer(() => answer, { rules: { tries } })
      expect(await fails(read(one))).to.equal(meaning)
      expect(server.asked).to.have.length(times)
    })

  it('wait as long as Azure says', async () => {
    server = await answerServer(() => armError(429, 'TooManyRequests', 'Slow.', { 'retry-after': '5' }), {
      rules: { tries: 1 },
    })
    const error = await read(one).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(Fault)
    expect((error as Fault).detail).to.deep.include({ bucket: 'transient', retryAfterMs: 5000 })
  })

  it('take no value for a number that is none', async () => {
    server = await answerServer(() => load(one.resourceUid, '40'))
    expect(await read(one)).to.deep.equal([])
  })

  it('ask for two accounts at once, each with its own token and its own answer', async () => {
    const [web, api] = [cache('web'), cache('api')]
    server = await answerServer(({ body }: Question) => {
      const [uid] = body.resourceids as [string]
      return load(uid, uid === web.resourceUid ? 11 : 22)
    })
    const found = await Promise.all([read(web), read(api, { ...account, id: 'acct-2' })])
    expect(found).to.deep.equal([cpuOf(web, 11), cpuOf(api, 22)])
    const tokens = server.asked.map(({ body, token }) => `${body.resourceids[0]} ${token}`)
    expect(new Set(tokens).size).to.equal(2)
    expect(new Set(server.asked.map(({ token }) => token)).size).to.equal(2)
  })

  it('reach no address but the one of the call, and a token goes to no other', async () => {
    server = await answerServer(() => ({ body: {} }))
    let sent = 0
    const client = httpClientOf('https://westeurope.metrics.monitor.azure.com', () => {
      sent++
      return Promise.reject(new Error('sent'))
    })
    const ask = (url: string) => {
      const request = createPipelineRequest({ url, headers: createHttpHeaders() })
      return client.sendRequest(request).then(
        () => 'nothing',
        (error: unknown) => (error instanceof Fault ? error.code : String(error)),
      )
    }
    const hostile = [
      'https://evil.example/',
      'http://westeurope.metrics.monitor.azure.com/',
      'https://westeurope.metrics.monitor.azure.com:8443/',
      'https://westeurope.metrics.monitor.azure.com.evil.example/',
      'https://user@westeurope.metrics.monitor.azure.com/',
      'http://169.254.169.254/metadata/identity/oauth2/token',
    ]
    for (const url of hostile) expect(await ask(url), url).to.equal('address_refused')
    expect(sent).to.equal(0)
    expect(await ask('https://westeurope.metrics.monitor.azure.com/x')).to.equal('Error: sent')
  })

  it('are asked of no host that a region could name', async () => {
    server = await answerServer(() => ({ body: {} }))
    const call = { host: { metrics: 'evil.example/' }, path: '/x', permission: 'x' }
    const asking = async () => openAzure(account, server.options).packaged(call, () => Promise.resolve(1))
    expect(await fails(asking())).to.equal('system unknown_answer')
    expect(server.asked).to.deep.equal([])
  })
})
