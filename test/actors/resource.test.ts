import { expect } from 'chai'
import fc from 'fast-check'
import { resourceActor } from '#actors/resource/actor.ts'
import type { Resource } from '#actors/resource/entity.ts'
import { deepCopy } from '#engine/actor/row.ts'
import type { Static } from '#engine/value/schema.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDeleted, resourceDiscovered, resourceStatuses } from '#streams/resource/messages.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'
import { amount } from '#test/harness/tier.ts'

type Discovered = Static<typeof resourceDiscovered.schema>

const t0 = Date.parse('2026-01-15T10:00:00Z')
const found = (fields: Partial<Discovered> = {}): Discovered => ({
  resourceUid: 'i-1',
  name: 'web',
  type: 'aws-ec2',
  provider: 'aws',
  cloudAccountId: 'acct-1',
  region: 'us-east-1',
  ...fields,
})
const gone = { resourceUid: 'i-1', provider: 'aws', cloudAccountId: 'acct-1' } as const
const resource = () => new MemoryActor<Resource>(resourceActor as never, { key: 'i-1' })

describe('actor resource', () => {
  it('has the status that was observed, pending while none was, and keeps it when an observation says nothing [RES-33]', () => {
    for (const from of [undefined, ...resourceStatuses]) {
      for (const to of [undefined, ...resourceStatuses]) {
        const r = resource()
        r.take(resourceDiscovered, found(from && { status: from }))
        expect(r.state.status).to.equal(from ?? 'pending')
        r.take(resourceDiscovered, found(to && { status: to }))
        expect(r.state.status, `${from} then ${to}`).to.equal(to ?? from ?? 'pending')
      }
    }
  })

  it('writes its whole state as a fact when it changes, and nothing when it does not', () => {
    const r = resource()
    const specs = { volume_type: 'gp2', attached: false, iops: 300, zones: ['a', 'b'], days_detached: null }
    const first = r.take(
      resourceDiscovered,
      found({ status: 'running', tags: { env: 'prod' }, specs, hourlyRateUSD: 0.096 }),
    )
    const { x_Version, ...row } = first.facts[0]!.row
    expect(first.facts.map((fact) => fact.table)).to.deep.equal(['resource_state', 'resource_change'])
    expect(String(x_Version)).to.match(/^\d+$/)
    expect(row).to.deep.equal({
      org_id: 'o1',
      cloud_account_id: 'acct-1',
      resource_uid: 'i-1',
      resource_id: r.state.id,
      name: 'web',
      type: 'aws-ec2',
      provider: 'aws',
      region: 'us-east-1',
      status: 'running',
      instance_type: '',
      parent_uid: '',
      resource_group: '',
      schedulable: 1,
      tags: { env: 'prod' },
      specs: { volume_type: 'gp2', attached: 'false', iops: '300', zones: '["a","b"]' },
      hourly_rate_usd: 0.096,
      first_seen_at: '2026-01-15T10:00:01.000Z',
      observed_at: '2026-01-15T10:00:01.000Z',
      deleted_at: null,
    })
    const again = r.take(resourceDiscovered, found({ tags: { env: 'prod' } }))
    expect(again.facts).to.deep.equal([])
    expect(r.state.updatedAt.toISOString()).to.equal('2026-01-15T10:00:01.000Z')
    expect(r.state.seenAt.toISOString()).to.equal('2026-01-15T10:00:02.000Z')
    expect(r.take(resourceDeleted, gone).facts[0]!.row.deleted_at).to.equal('2026-01-15T10:00:03.000Z')
    expect(r.take(resourceDeleted, gone).facts).to.deep.equal([])
  })

  it('writes down each change of status, of size, price, tags or name, and that it appeared and went [REP-20]', () => {
    const r = resource()
    const changes = (done: Done) =>
      done.facts
        .filter(({ table }) => table === 'resource_change')
        .map(({ row }) => [row.kind, JSON.parse(row.details)])
    const see = (fields: Partial<Discovered>) => changes(r.take(resourceDiscovered, found(fields)))
    const moved = (from: string, to: string) => ['state_transition', { from, to }]
    expect(see({ status: 'running', tags: { env: 'dev' }, sizeGB: 8 })).to.deep.equal([moved('', 'running')])
    expect(see({ status: 'running', tags: { env: 'dev' }, sizeGB: 8, region: 'eu-west-1' })).to.deep.equal([])
    expect(
      see({ status: 'stopped', name: 'api', instanceType: 'm5.large', unitCount: 2, hourlyRateUSD: 0.5 }),
    ).to.deep.equal([
      moved('running', 'stopped'),
      [
        'configuration_change',
        {
          name: { from: 'web', to: 'api' },
          instanceType: { from: '', to: 'm5.large' },
          sizeGB: { from: 8, to: null },
          unitCount: { from: null, to: 2 },
          hourlyRateUSD: { from: null, to: 0.5 },
          tags: { from: { env: 'dev' }, to: {} },
        },
      ],
    ])
    expect(changes(r.take(resourceDeleted, gone))).to.deep.equal([moved('stopped', '')])
    expect(see({ status: 'running' })).to.deep.equal([moved('', 'running')])
    const grave = resource()
    expect(changes(grave.take(resourceDeleted, gone))).to.deep.equal([])
    expect(changes(grave.take(resourceDiscovered, found()))).to.deep.equal([moved('', 'pending')])
  })

  it('names a change after its message, so that a replay replaces it [REP-20]', () => {
    const rows = [resource(), resource()].map((r) => {
      r.take(resourceDiscovered, found({ status: 'running' }), { at: t0, time: t0 - 5000 })
      return r.take(resourceDiscovered, found({ status: 'stopped' }), { at: t0 + 1, time: t0 - 4000 }).facts[1]!.row
    })
    const { x_Version: _, change_id: id, ...row } = rows[0]
    expect(row).to.deep.equal({
      org_id: 'o1',
      resource_uid: 'i-1',
      at: '2026-01-15T09:59:56.000Z',
      cloud_account_id: 'acct-1',
      kind: 'state_transition',
      actor: 'discovery',
      details: '{"from":"running","to":"stopped"}',
    })
    expect([rows[1].change_id, /^[0-9a-f-]{36}$/.test(id)]).to.deep.equal([id, true])
  })

  it('keeps a grave for what was deleted before it was ever seen, so that a late observation finds it', () => {
    const r = resource()
    r.take(resourceDeleted, gone, { time: t0 })
    r.take(resourceDiscovered, found(), { time: t0 - 1 })
    expect(r.state.deletedAt?.toISOString()).to.equal('2026-01-15T10:00:00.000Z')
    r.take(resourceDiscovered, found(), { time: t0 + 1 })
    expect(r.state).to.deep.include({ deletedAt: null, name: 'web', status: 'pending' })
  })

  it('was there from its first observation to its first deletion by the producers, however late both are taken', () => {
    const r = resource()
    const ago = (hours: number) => new Date(t0 - hours * 3_600_000)
    const take = (hours: number, ...said: [typeof resourceDiscovered, Discovered] | [typeof resourceDeleted, object]) =>
      r.take(said[0] as typeof resourceDiscovered, said[1] as Discovered, { at: t0, time: ago(hours).getTime() })
    take(6, resourceDiscovered, found())
    take(5, resourceDiscovered, found({ status: 'running' }))
    const went = take(4, resourceDeleted, { ...gone, refreshId: 'r1' })
    const again = take(3, resourceDeleted, { ...gone, refreshId: 'r2' })
    expect(went.facts.map(({ row }) => row.deleted_at ?? row.at)).to.deep.equal([
      '2026-01-15T06:00:00.000Z',
      '2026-01-15T06:00:00.000Z',
    ])
    expect([went.facts[0]!.row.first_seen_at, again.facts]).to.deep.equal(['2026-01-15T04:00:00.000Z', []])
    const { createdAt, seenAt, updatedAt, deletedAt } = r.state
    expect([createdAt, seenAt, updatedAt, deletedAt]).to.deep.equal([ago(6), ago(5), ago(4), ago(4)])
    take(3.5, resourceDiscovered, found())
    expect(r.state.deletedAt, 'an observation from before a scan that missed it, too').to.deep.equal(ago(4))
    take(2, resourceDiscovered, found())
    expect([r.state.createdAt, r.state.deletedAt]).to.deep.equal([ago(6), null])
  })

  it('stays when it was seen at the very moment at which a scan that missed it ended, whichever is taken first', () => {
    const missed = { ...gone, refreshId: 'r1' }
    for (const isSeenFirst of [true, false]) {
      const r = resource()
      r.take(resourceDiscovered, found(), { time: t0 - 1 })
      if (isSeenFirst) r.take(resourceDiscovered, found({ refreshId: 'r2' }), { time: t0 })
      r.take(resourceDeleted, missed, { time: t0 })
      if (!isSeenFirst) expect(r.state.deletedAt).to.deep.equal(new Date(t0))
      r.take(resourceDiscovered, found({ refreshId: 'r2' }), { time: t0 })
      expect(r.state.deletedAt, String(isSeenFirst)).to.equal(null)
    }
  })

  it('refuses a type of another provider and specs too large to keep, and stays as it was', () => {
    const r = resource()
    r.take(resourceDiscovered, found())
    const before = deepCopy(r.state)
    expect(r.take(resourceDiscovered, found({ type: 'gcp-vm' })).refused).to.equal('type_mismatch')
    expect(r.take(resourceDiscovered, found({ specs: { text: 'x'.repeat(70_000) } })).refused).to.equal(
      'specs_too_large',
    )
    expect(deepCopy(r.state)).to.deep.equal(before)
  })

  it('reads stand-in names, and knows what can be scheduled by type and owner [RES-37]', () => {
    const kinds: [Partial<Discovered>, string, boolean][] = [
      [{ type: 'cloud-a-ec2', provider: 'cloud-a' }, 'aws-ec2', true],
      [{ type: 'aws-s3-bucket' }, 'aws-s3-bucket', false],
      [{ type: 'aws-eks-replicaset' }, 'aws-eks-replicaset', true],
      [{ type: 'aws-eks-replicaset', specs: { owner: 'deployment/web' } }, 'aws-eks-replicaset', false],
      [{ type: 'aws-teapot' }, 'aws-teapot', false],
      [{ type: 'aws-teapot', schedulable: true }, 'aws-teapot', true],
    ]
    for (const [fields, type, schedulable] of kinds) {
      const r = resource()
      r.take(resourceDiscovered, found(fields))
      expect(r.state, type).to.include({ type, schedulable, provider: 'aws' })
    }
  })

  it('appends samples as facts, and no state of its own', () => {
    const r = resource()
    const before = deepCopy(r.state)
    const done = r.take(metricSample, {
      resourceUid: 'i-1',
      samples: [
        { metric: 'cpu_percent', value: 12.5, ts: '2026-01-15T11:00:00+01:00' },
        { metric: 'requests', value: 7, max: 3, sum: 7, ts: '2026-01-15T11:00:00+01:00' },
      ],
    })
    const common = {
      org_id: 'o1',
      resource_uid: 'i-1',
      ts: '2026-01-15T10:00:00.000Z',
      cloud_account_id: 'acct-1',
    }
    const row = { ...common, x_Version: done.facts[0]!.row.x_Version }
    expect(done.facts.map((one) => one.row)).to.deep.equal([
      { ...row, metric: 'cpu_percent', value: 12.5, max: null, sum: null },
      { ...row, metric: 'requests', value: 7, max: 3, sum: 7 },
    ])
    expect(deepCopy(r.state)).to.deep.equal(before)
  })
})

/** What a producer may say of a resource, everything given, at a time of its own. */
const event = fc.record({
  isGone: fc.boolean(),
  isMissed: fc.boolean(),
  name: fc.string({ maxLength: 8 }),
  status: fc.constantFrom(...resourceStatuses),
  tags: fc.dictionary(fc.constantFrom('env', 'team'), fc.constantFrom('a', 'b')),
  size: fc.constantFrom('small', 'large'),
  rate: fc.integer({ min: 0, max: 5 }),
})
const history = fc
  .array(event, { minLength: 1, maxLength: 12 })
  .map((events) => events.map((one, i) => ({ ...one, time: t0 + i })))

type Told = {
  isGone: boolean
  isMissed?: boolean
  time: number
  name: string
  status: (typeof resourceStatuses)[number]
  tags: object
} & {
  size: string
  rate: number
}

function tell(r: MemoryActor<Resource>, e: Told): Done {
  if (e.isGone) return r.take(resourceDeleted, e.isMissed ? { ...gone, refreshId: 'r1' } : gone, { time: e.time })
  const { name, status, tags, size, rate } = e
  const data = found({ name, status, tags: { ...tags }, instanceType: size, hourlyRateUSD: rate, specs: { rate } })
  return r.take(resourceDiscovered, data, { time: e.time })
}

/** What is known of it now; undefined when it is gone. */
const known = ({ state: s }: MemoryActor<Resource>) =>
  s.deletedAt
    ? undefined
    : { name: s.name, status: s.status, tags: s.tags, size: s.instanceType, rate: s.hourlyRateUsd }

const said = ({ isGone, name, status, tags, size, rate }: Told) =>
  isGone ? undefined : { name, status, tags: { ...tags }, size, rate }

describe('actor resource, in any order', () => {
  it('is what the newest event says of it, however the events arrive and however often', () => {
    fc.assert(
      fc.property(
        history.chain((events) =>
          fc.tuple(
            fc.constant(events),
            fc.shuffledSubarray([...events, ...events, ...events], { minLength: events.length * 3 }),
          ),
        ),
        ([events, arrivals]) => {
          const r = resource()
          const states = arrivals.flatMap((e) => tell(r, e).facts.filter(({ table }) => table === 'resource_state'))
          const facts = states.map((fact) => fact.row)
          const newest = facts.reduce((best, row) => (BigInt(row.x_Version) > BigInt(best.x_Version) ? row : best))
          expect(known(r)).to.deep.equal(said(events.at(-1)!))
          expect([newest.deleted_at !== null, newest.name]).to.deep.equal([events.at(-1)!.isGone, r.state.name])
          const { isGone, isMissed, time } = events.at(-1)!
          expect(r.state.observedAt.getTime()).to.equal(isGone && isMissed ? time - 1 : time)
        },
      ),
      { numRuns: amount(100, 300, 3000) },
    )
  })

  it('never moves its newest observation back, and an older one changes nothing at all', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.integer({ min: 0, max: 9 })), { maxLength: 20 }), (list) => {
        const r = resource()
        for (const [e, offset] of list) {
          const before = deepCopy(r.state)
          tell(r, { ...e, isMissed: false, time: t0 + offset })
          expect(r.state.observedAt.getTime()).to.equal(Math.max(before.observedAt.getTime(), t0 + offset))
          if (t0 + offset < before.observedAt.getTime()) expect(deepCopy(r.state)).to.deep.equal(before)
          else if (isBuried(before, e, t0 + offset)) expect(known(r)).to.equal(undefined)
          else expect(known(r)).to.deep.equal(said({ ...e, time: 0 }))
        }
      }),
      { numRuns: amount(100, 300, 3000) },
    )
  })

  it('stays deleted when an observation claims the very moment of the deletion', () => {
    const r = resource()
    for (const isGone of [true, false])
      tell(r, { isGone, name: 'a', status: 'running', tags: {}, size: 'small', rate: 0, time: t0 })
    expect(known(r)).to.equal(undefined)
    tell(r, { isGone: false, name: 'a', status: 'running', tags: {}, size: 'small', rate: 0, time: t0 + 1 })
    expect(known(r)).to.include({ name: 'a', status: 'running' })
  })

  const isBuried = (
    before: { deletedAt?: Date | null | undefined; observedAt: Date },
    e: { isGone: boolean },
    at: number,
  ) => !e.isGone && before.deletedAt instanceof Date && at === before.observedAt.getTime()
})
