import { randomUUID } from 'node:crypto'
import { jetstream } from '@nats-io/jetstream'
import { headers as natsHeaders } from '@nats-io/transport-node'
import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { deep } from '#test/fuzz/message.ts'
import { publishMarkers, reached } from '#test/fuzz/stream.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { amount, deepIt } from '#test/harness/tier.ts'

/** A text of 3 bytes a character that no compression makes small enough for an index. */
const unindexable = Array.from({ length: 1024 }, (_, i) =>
  String.fromCodePoint(0x4e00 + ((i * i * 7919) % 20_900)),
).join('')

const base64url = (text: string) => `=${Buffer.from(text).toString('base64url')}`

interface To {
  kind?: string
  /** The token of the organization in the subject: its own unless it is named. */
  org?: string
  place?: string
  headers?: Record<string, string>
}

/** A body as it is, or made for the organization that it is published for. */
type Body = string | Buffer | object | ((orgId: string) => unknown)
type Case = readonly [body: Body, to?: To | undefined]

interface Letter {
  code: string
  reason: string
  type: string
  body: Buffer
}

const resource = (fields: object = {}) => ({ ...resourceDiscovered.examples[0], ...fields })
const line = (fields: object = {}) => ({ ...billingLine.examples[0], ...fields })
const sample = (fields: object = {}) => ({
  resourceUid: 'i-1',
  samples: [{ ...metricSample.examples[0]!.samples[0], ...fields }],
})
const envelope =
  (type: string, data: unknown, head: object = {}) =>
  (orgId: string) => ({
    id: randomUUID(),
    type,
    schemaVersion: 1,
    orgId,
    time: '2026-01-15T10:00:00Z',
    data,
    ...head,
  })
const found = (fields: object = {}, head: object = {}) => envelope('resource.discovered', resource(fields), head)
const billed = (fields: object = {}, head: object = {}) => envelope('billing.line', line(fields), head)
const billing = { kind: 'billing' }
const metric = { kind: 'metric' }

/** Where a message of an organization stands in the log. */
async function publish(org: Tenant, body: Body, to: To = {}): Promise<{ lane: string; seq: number }> {
  const { kind = 'resource', org: token = org.orgId, place = 'acct-1', headers = {} } = to
  const given = natsHeaders()
  for (const [name, value] of Object.entries(headers)) given.set(name, value)
  const made = typeof body === 'function' ? body(org.orgId) : body
  const bytes = Buffer.isBuffer(made) || typeof made === 'string' ? made : JSON.stringify(made)
  const subject = `ingest.${kind}.${token}.${place}`
  const js = jetstream(org.connections.nats)
  const ack = await js.publish(subject, bytes, { headers: given, timeout: 20_000 })
  return { lane: ack.stream.slice('LANE-'.length), seq: ack.seq }
}

/** Publishes a good message at the end of every lane, and waits until every lane has taken it. */
async function passed(org: Tenant): Promise<void> {
  const js = jetstream(org.connections.nats)
  expect(await reached(org, await publishMarkers(js, org))).to.deep.equal([])
  // What was sent on to another lane stands before the marker that is published now.
  expect(await reached(org, await publishMarkers(js, org))).to.deep.equal([])
}

/** The dead letters of an organization, and of the message at a place of the log, in order. */
async function lettersOf({ connections, orgId }: Tenant, { lane, seq }: { lane: string; seq: number }) {
  const sql = `select code, reason, type, body from dead_letter
    where (lane = $1 and seq = $2) or org_id = $3 order by seq, id`
  return (await connections.store.pool.query(sql, [lane, seq, orgId])).rows as Letter[]
}

/** Publishes all, each for an organization of its own, and good messages after them; the dead letters of each. */
async function setAside(cases: readonly Case[]): Promise<{ org: Tenant; letters: Letter[] }[]> {
  const sent = await Promise.all(
    cases.map(async ([body, to]) => {
      const org = await tenant()
      return { org, at: await publish(org, body, to) }
    }),
  )
  await passed(sent[0]!.org)
  return Promise.all(sent.map(async ({ org, at }) => ({ org, letters: await lettersOf(org, at) })))
}

const codesOf = ({ letters }: { letters: readonly Letter[] }) => letters.map(({ code }) => code)
const codes = async (cases: readonly Case[]) => (await setAside(cases)).map(codesOf)
const count = async (org: Tenant): Promise<number> => (await org.get('/resources/count')).body.data.count

describe('bad input on the stream', () => {
  it('becomes a dead letter with its bytes when it is no message at all', async () => {
    const cases: [string | Buffer, string][] = [
      ['', 'malformed_json'],
      ['hello', 'malformed_json'],
      ['{"id":"x"', 'malformed_json'],
      [Buffer.from([0xff, 0xfe, 0]), 'not_utf8'],
      ['[]', 'empty_message'],
      [JSON.stringify(Array.from({ length: 5001 }, () => 1)), 'too_many_envelopes'],
      ['null', 'validation_failed'],
      ['1e999', 'validation_failed'],
      ['{"__proto__":{"id":"x"}}', 'validation_failed'],
    ]
    const became = await setAside(cases.map(([body]) => [body]))
    for (const [n, [body, code]] of cases.entries()) {
      const name = String(body).slice(0, 40)
      expect(codesOf(became[n]!), name).to.deep.equal([code])
      expect(became[n]!.letters[0]!.body.equals(Buffer.from(body as string)), name).to.equal(true)
    }
  })

  it('becomes a dead letter when its envelope is not ours: type, version, organization, subject, time', async () => {
    const other = await tenant()
    const far = new Date(Date.now() + 3 * 86_400_000).toISOString()
    const cases: [Body, string, To?][] = [
      [found({}, { schemaVersion: 2 }), 'validation_failed'],
      [found({}, { schemaVersion: '1' }), 'validation_failed'],
      [found({}, { type: 'resource.exploded' }), 'unknown_type'],
      [found({}, { type: '__proto__' }), 'unknown_type'],
      [found({}, { orgId: other.orgId }), 'foreign_organization'],
      [found({}, { id: '' }), 'validation_failed'],
      [found({}, { id: 'x'.repeat(257) }), 'validation_failed'],
      [found({}, { time: far }), 'time_invalid'],
      [found({}, { time: 'yesterday' }), 'time_invalid'],
      [found({}, { time: '9999-12-31T00:00:00Z' }), 'time_invalid'],
      [found(), 'wrong_subject', metric],
    ]
    const became = await codes(cases.map(([body, , to]) => [body, to]))
    expect(became).to.deep.equal(cases.map(([, code]) => [code]))
    expect(await count(other)).to.equal(0)
  })

  deepIt('becomes a dead letter when its values are none: numbers, days, texts, providers', async () => {
    const cases: [Body, string, To?][] = [
      [found({ sizeGB: '8' }), 'validation_failed'],
      [found({ unitCount: 2 ** 53 }), 'validation_failed'],
      [found({ resourceUid: '' }), 'validation_failed'],
      [found({ name: 'x'.repeat(2049) }), 'validation_failed'],
      [found({ tags: ['a'] }), 'validation_failed'],
      [found({ type: "aws-ec2'; --" }), 'validation_failed'],
      [found({ type: 'gcp-vm' }), 'type_mismatch'],
      [found({ specs: { a: 'x'.repeat(66_000) } }), 'specs_too_large'],
      [found({ name: 'a\0b' }), 'text_invalid'],
      [found({ tags: { 'a\ud800': 'b' } }), 'text_invalid'],
      [found({ resourceUid: unindexable, cloudAccountId: 'acct-1' }), 'data_refused'],
      [billed({ costUSD: '1e999' }), 'amount_invalid', billing],
      [billed({ costUSD: 'NaN' }), 'amount_invalid', billing],
      [billed({ costUSD: 1e300 }), 'amount_invalid', billing],
      [billed({ usageDate: '2026-02-30' }), 'date_invalid', billing],
      [billed({ usageDate: '1969-12-31' }), 'date_invalid', billing],
      [billed({ provider: 'oracle' }), 'provider_unsupported', billing],
      [billed({ BillingCurrency: 'CAD' }), 'currency_without_rate', billing],
      [billed({ Tags: '{' }), 'tags_invalid', billing],
      [envelope('metric.sample', sample({ ts: '2101-01-01T00:00:00Z' })), 'time_invalid', metric],
      [envelope('metric.sample', sample({ value: 1e16 })), 'validation_failed', metric],
      [envelope('metric.sample', sample({ metric: 'constructor' })), 'validation_failed', metric],
      [envelope('metric.sample', { resourceUid: 'i-1', samples: [] }), 'validation_failed', metric],
    ]
    const infinite = (orgId: string) => JSON.stringify(billed({ costUSD: 5.25 })(orgId)).replace('5.25', '1e999')
    const became = await setAside([...cases.map(([body, , to]): Case => [body, to]), [infinite, billing]])
    for (const [n, [, code]] of cases.entries())
      expect(codesOf(became[n]!), `${code}: ${became[n]!.letters[0]?.reason}`).to.deep.equal([code])
    expect(codesOf(became.at(-1)!)).to.include('validation_failed')
  })

  it('never stops its lane, however deep it is nested', async () => {
    const nest = (open: string) => (orgId: string) =>
      JSON.stringify(found({ specs: { deep: 'HERE' } })(orgId)).replace('"HERE"', deep(100_000, open))
    const opens = ['[', '{"a":']
    const became = await setAside([
      ...opens.map((open): Case => [nest(open)]),
      ...opens.map((open): Case => [(orgId: string) => `[${nest(open)(orgId)},5]`]),
      [deep(1_000_000, '[')],
    ])
    for (const [n, one] of became.entries()) {
      expect(codesOf(one).at(-1), `${n}`).to.equal('too_deep')
      expect(await count(one.org), `${n}`).to.equal(0)
    }
  })

  deepIt('never stops its lane by what its reason, its subject or its headers hold', async () => {
    const cut = `${'x'.repeat(79)}\u{1f600}`
    const odd = found({}, { schemaVersion: 7, type: `${'x'.repeat(127)}\u{1f600}`, id: `${'y'.repeat(255)}\u{1f600}` })
    const strange = {
      'Tidemark-Reminder': '=AA.=AA.=AA.=AA',
      'Tidemark-Reply': 'a b',
      'Tidemark-Deadline': '2020-01-01T00:00:00Z',
    }
    const names = ['=AA', '=AGEA', base64url('x\0'.repeat(500)), base64url('\u20ac'.repeat(900)), '=', '=!!', '\u20ac']
    const [ofProvider, ofOdd, ofType, ofHeader, ofAccount, ...named] = await setAside([
      [billed({ provider: cut }), billing],
      [odd],
      [found({ type: 'gcp-vm' }), { headers: strange }],
      ['{', { headers: { 'X-Any': `a\u0001${'\u20ac'.repeat(3000)}` } }],
      [found({ cloudAccountId: '\u20ac'.repeat(1024) })],
      ...names.map((name): Case => [found(), { org: name }]),
      ...names.map((name): Case => [envelope('metric.sample', sample()), { ...metric, place: name }]),
      ...names.map((name): Case => [found(), { kind: name }]),
    ])
    expect(codesOf(ofProvider!)).to.deep.equal(['provider_unsupported'])
    expect(ofOdd!.letters.map(({ code, type }) => [code, type.length])).to.deep.include(['validation_failed', 128])
    expect(codesOf(ofType!)).to.deep.equal(['type_mismatch'])
    expect(codesOf(ofHeader!)).to.include('malformed_json')
    expect(codesOf(ofAccount!)).to.include('place_invalid')
    const [byOrg, byPlace, byKind] = [0, 1, 2].map((n) =>
      named.slice(n * names.length, (n + 1) * names.length).map(codesOf),
    ) as [string[][], string[][], string[][]]
    expect(byOrg).to.deep.equal(names.map(() => ['foreign_organization']))
    for (const [n, name] of names.entries()) {
      expect(
        byPlace[n]!.every((code) => code === 'place_invalid'),
        name,
      ).to.equal(true)
      expect(byKind[n], name).to.include('wrong_subject')
    }
  })

  it('is taken with headers of ours, which mean nothing on a producer’s message', async () => {
    const headers = {
      'Tidemark-Reminder': 'refresh.current.stalled.5',
      'Tidemark-Reply': '>',
      'Tidemark-Deadline': '2020-01-01T00:00:00Z',
    }
    const [taken] = await setAside([[found({ resourceUid: 'mine' }), { headers }]])
    expect(codesOf(taken!)).to.deep.equal([])
    expect((await taken!.org.get('/resources/by-uids?uids=mine')).body.data).to.have.length(1)
  })

  it('sets aside a bad one among many alone, and takes the others', async () => {
    const size = amount(12, 400, 400)
    const many = (orgId: string) => {
      const list = Array.from({ length: size }, (_, i) => found({ resourceUid: `i-${i}` })(orgId))
      list[7] = found({ resourceUid: unindexable })(orgId)
      list[8] = found({ type: 'gcp-vm', resourceUid: 'i-8' })(orgId)
      list[9] = found({}, { schemaVersion: 3 })(orgId)
      return list
    }
    const [{ org, letters }] = (await setAside([[many]])) as [{ org: Tenant; letters: Letter[] }]
    await until('the others', async () => (await count(org)) === size - 3)
    const reasons = ['data_refused', 'type_mismatch', 'validation_failed']
    expect(codesOf({ letters })).to.have.members(reasons)
    // The lane goes on, and what comes later is looked at as before.
    const at = await publish(org, '{')
    await passed(org)
    const later = await lettersOf(org, at)
    expect(codesOf({ letters: later })).to.have.members([...reasons, 'malformed_json'])
  })

  const big = (bytes: number) => found({ resourceUid: `big-${bytes}`, junk: 'x'.repeat(bytes) })

  deepIt('is taken up to 1 MB and 8 MB, alone and under another account’s subject', async () => {
    const org = await tenant()
    await publish(org, big(1_000_000))
    await publish(org, big(8_000_000))
    const at = await publish(org, big(900_000), { place: 'elsewhere' })
    await passed(org)
    expect(await lettersOf(org, at)).to.deep.equal([])
    const uids = (await org.get('/resources?limit=100')).body.data.map((r: any) => r.uid).toSorted()
    expect(uids).to.deep.equal(['big-1000000', 'big-8000000', 'big-900000'])
    expect(await codes([[big(8_000_001), { place: 'elsewhere' }]])).to.deep.equal([['wrong_subject']])
  })

  deepIt('is taken in arrays up to 8 MB, and refused where it swells on its way to another lane', async () => {
    const swollen = (orgId: string) =>
      JSON.stringify(found({ resourceUid: 'swollen', junk: 'HERE' })(orgId)).replace(
        '"HERE"',
        `[${'1e20,'.repeat(1_500_000)}1]`,
      )
    expect(await codes([[swollen, { place: 'elsewhere' }]])).to.deep.equal([['wrong_subject']])
    const lines = (orgId: string) =>
      Array.from({ length: 3500 }, (_, i) =>
        billed({ lineId: `${'\u20ac'.repeat(500)}${i}`, costUSD: '0.01', x: 'y'.repeat(200) })(orgId),
      )
    const [{ org, letters }] = (await setAside([[lines, billing]])) as [{ org: Tenant; letters: Letter[] }]
    expect(Buffer.byteLength(JSON.stringify(lines(org.orgId)))).to.be.within(7e6, 8e6)
    expect(letters).to.deep.equal([])
    const [stored] = await org.facts('SELECT uniqExact(x_LineId) AS n FROM cost_fact WHERE x_OrgId = {org:String}')
    expect(Number(stored.n)).to.equal(3500)
    const refused = (orgId: string) =>
      Array.from({ length: 5000 }, () => ({ ...found({}, { schemaVersion: 9 })(orgId), junk: 'x'.repeat(1000) }))
    const [of5000] = await codes([[refused]])
    expect(new Set(of5000)).to.deep.equal(new Set(['validation_failed']))
  })

  it('takes names that reach into prototypes as names', async () => {
    const tags = JSON.parse('{"__proto__":"p","constructor":"c","toString":"t"}') as object
    const [taken, ...lines] = await setAside([
      [found({ resourceUid: 'proto', tags, specs: tags })],
      [billed({ resourceType: 'constructor', lineId: 'c' }), billing],
      [billed({ provider: 'constructor', lineId: 'd' }), billing],
    ])
    expect(codesOf(taken!)).to.deep.equal([])
    const [shown] = (await taken!.org.get('/resources/by-uids?uids=proto')).body.data
    expect(Object.entries(shown.tags)).to.have.deep.members(Object.entries(tags))
    expect(({} as any).p).to.equal(undefined)
    expect(lines.map(codesOf)).to.deep.equal([[], ['provider_unsupported']])
  })
})
