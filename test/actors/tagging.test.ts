import { expect } from 'chai'
import { pendingOf } from '#actors/tagging/policy/smart-tag.ts'
import { tagLook } from '#streams/tagging.ts'
import { powerTold } from '#streams/action/messages.ts'
import { needsOf, organization, policyOf, TaggedResource } from '#test/harness/tagging.ts'
import type { Done } from '#test/harness/turn.ts'

const shown = ({ facts }: Done) =>
  facts.filter(({ table }) => table === 'accepted_tag').map(({ row }) => [row.source, row.tags])
const changes = ({ facts }: Done) =>
  facts
    .filter(({ table }) => table === 'resource_change')
    .map(({ row }) => [row.kind, row.actor, JSON.parse(row.details)])
const marked = (done: Done) => done.marks

const t0 = Date.parse('2026-01-15T10:00:00Z')
const shop = { name: 'shop-prod-db-1', type: 'aws-rds', tags: { env: 'prod', owner: 'Ada' } } as const

describe('actor tagging: suggestions', () => {
  it('are pending, whatever their confidence, and change nothing in the reports [AUTO-20, AUTO-26, AUTO-32]', () => {
    const r = new TaggedResource()
    const done = r.discover(shop)
    expect(r.state).to.deep.include({
      hasPrediction: true,
      predictedEnv: 'prod',
      predictedNoStop: true,
      extraTags: { owner: 'Ada' },
      confidence: 88,
      reason: 'The tag env=prod and the name (prod) indicate prod.',
      acceptedAt: null,
      rejectedAt: null,
      evidenceEnv: 'prod',
      observedAt: new Date(t0 + 1000),
    })
    expect([done.facts, done.emitted, done.calls, done.marks]).to.deep.equal([[], [], [], []])
  })

  it('are there for what says an environment alone [AUTO-15]', () => {
    const r = new TaggedResource()
    r.discover({ name: 'web', tags: { owner: 'Ada' } })
    expect(r.state).to.deep.include({
      hasPrediction: false,
      predictedEnv: '',
      extraTags: {},
      reason: '',
      suggestedAt: null,
    })
  })

  it('are changed in place by a rediscovery while they are pending, and go where nothing says anything any more', () => {
    const r = new TaggedResource()
    r.discover({ name: 'a-prod' })
    const { suggestedAt } = r.state
    r.discover({ name: 'a-prod' })
    expect(r.state.updatedAt).to.deep.equal(suggestedAt)
    r.discover({ name: 'a-dev' })
    expect([r.state.predictedEnv, r.state.suggestedAt, r.state.updatedAt]).to.deep.equal([
      'dev',
      suggestedAt,
      new Date(t0 + 3000),
    ])
    r.discover({ name: 'a' })
    expect(r.state).to.deep.include({ hasPrediction: false, predictedEnv: '', confidence: 0, suggestedAt: null })
  })

  it('are kept as accepted: those flags that are false clear what they govern first [AUTO-03, AUTO-27, AUTO-28, AUTO-29]', () => {
    const cases = [
      [{}, { env: 'prod', 'no-stop': 'true', owner: 'Ada' }],
      [{ acceptNoStop: false }, { env: 'prod', owner: 'Ada' }],
      [{ acceptEnv: false }, { 'no-stop': 'true', owner: 'Ada' }],
      [{ acceptOwner: false }, { env: 'prod', 'no-stop': 'true' }],
      [
        { acceptEnv: true, acceptNoStop: true, acceptOwner: true },
        { env: 'prod', 'no-stop': 'true', owner: 'Ada' },
      ],
    ] as const
    for (const [flags, tags] of cases) {
      const r = new TaggedResource()
      r.discover(shop)
      const done = r.decide({ status: 'accepted', ...flags })
      expect(shown(done), JSON.stringify(flags)).to.deep.equal([['auto', tags]])
      expect(done.replies).to.deep.equal([
        {
          id: r.state.id,
          resourceUid: 'i-1',
          cloudAccountId: 'acct-1',
          predictedEnv: 'env' in tags ? 'prod' : '',
          predictedNoStop: 'no-stop' in tags,
          extraTags: 'owner' in tags ? { owner: 'Ada' } : {},
          confidence: 88,
          reason: 'The tag env=prod and the name (prod) indicate prod.',
          acceptedAt: '2026-01-15T10:00:02.000Z',
          rejectedAt: null,
          createdAt: '2026-01-15T10:00:01.000Z',
          updatedAt: '2026-01-15T10:00:02.000Z',
        },
      ])
    }
  })

  it('that were decided stay so, over every rediscovery, and are decided once [AUTO-17, AUTO-18, AUTO-30]', () => {
    for (const status of ['accepted', 'rejected'] as const) {
      const r = new TaggedResource()
      r.discover(shop)
      r.decide({ status })
      const { predictedEnv, acceptedAt, rejectedAt, updatedAt, reason } = r.state
      expect([acceptedAt, rejectedAt].map(Boolean)).to.deep.equal([status === 'accepted', status === 'rejected'])
      expect([r.decide({ status: 'accepted' }).refused, r.decide({ status: 'rejected' }).refused]).to.deep.equal([
        'invalid_transition',
        'invalid_transition',
      ])
      expect(r.discover({ name: 'a-dev' }).facts).to.deep.equal([])
      expect(r.state).to.deep.include({ predictedEnv, acceptedAt, rejectedAt, updatedAt, reason, evidenceEnv: 'dev' })
    }
  })

  it('that are not there cannot be decided', () => {
    const r = new TaggedResource()
    expect(r.decide({ status: 'accepted' }).refused).to.equal('not_found')
    r.discover({ name: 'web' })
    expect(r.decide({ status: 'accepted' }).refused).to.equal('not_found')
    r.discover(shop)
    r.delete()
    expect(r.decide({ status: 'accepted' }).refused).to.equal('not_found')
  })

  it('leave who decided what in the timeline of the resource', () => {
    const r = new TaggedResource()
    r.discover(shop)
    const accepted = r.decide({ status: 'accepted', acceptNoStop: false })
    const suggestion = { predictedEnv: 'prod', predictedNoStop: false, extraTags: { owner: 'Ada' } }
    expect(changes(accepted)).to.deep.equal([
      ['configuration_change', 'user', { suggestion: { status: 'accepted', ...suggestion }, userId: 'u-1' }],
    ])
    expect(accepted.facts[0]!.row.at).to.equal('2026-01-15T10:00:02.000Z')
  })

  it('take the word of the parent and of the neighbourhood as it is now', () => {
    const at = { org_id: 'o1', account: 'acct-1' }
    const org = organization({
      neighbours: [
        { ...at, what: 'parent', uid: 'p-1', place: '', env: 'prod', resources: 0 },
        { ...at, what: 'place', uid: '', place: 'network:vpc-1', env: 'prod', resources: 4 },
        { ...at, what: 'place', uid: '', place: 'network:vpc-1', env: '', resources: 2 },
      ],
    })
    const r = new TaggedResource(org)
    r.discover({ parentUID: 'p-1', specs: { vpc_id: 'vpc-1' } })
    expect(r.state).to.deep.include({
      predictedEnv: 'prod',
      confidence: 60,
      evidenceEnv: '',
      neighbourhood: 'network:vpc-1',
    })
    // Four of the five others, once its own row without an environment is left out.
    org.neighbours.push({ ...at, what: 'own', uid: 'i-1', place: 'network:vpc-1', env: '', resources: 0 })
    r.discover({ parentUID: 'p-1' })
    expect(r.state).to.deep.include({ confidence: 88, reason: 'Its parent and its neighborhood indicate prod.' })
    org.neighbours = []
    r.discover({ parentUID: 'p-1', specs: {} })
    expect(r.state.hasPrediction).to.equal(false)
  })

  it('look once more behind their commit where the parent is not known yet', () => {
    const org = organization()
    const r = new TaggedResource(org)
    const looks = ({ emitted }: Done) => emitted.map(({ type, data }) => [type, data])
    const look = [['tag.look', { cloudAccountId: 'acct-1', resourceUid: 'i-1' }]]
    expect(looks(r.discover({ parentUID: 'p-1' }))).to.deep.equal(look)
    expect(looks(r.discover({ parentUID: 'p-1' }))).to.deep.equal([])
    org.neighbours.push({
      org_id: 'o1',
      account: 'acct-1',
      what: 'parent',
      uid: 'p-1',
      place: '',
      env: 'dev',
      resources: 0,
    })
    const done = r.take(tagLook, { cloudAccountId: 'acct-1', resourceUid: 'i-1' }, { needs: needsOf(org) })
    expect([done.emitted, r.state.predictedEnv, r.state.confidence]).to.deep.equal([[], 'dev', 60])
    expect(looks(r.discover({ parentUID: 'p-1', name: 'b' }))).to.deep.equal([])
    expect(looks(r.discover({ parentUID: 'p-2' }))).to.deep.equal(look)
  })

  it('name a team as owner where the name begins with it', () => {
    const org = organization({ teams: ['Web Shop'] })
    const r = new TaggedResource(org)
    r.discover({ name: 'web_shop-prod-1' })
    expect(r.state.extraTags).to.deep.equal({ owner: 'Web Shop' })
    org.teams = []
    r.discover({ name: 'web_shop-prod-1' })
    expect(r.state.extraTags).to.deep.equal({})
  })
})

describe('actor tagging: derived tags', () => {
  const loc = policyOf('p1', 'loc', ['res.region'])
  const kind = policyOf('p2', 'kind', ['res.type'])
  const two = () => organization({ policies: [loc, kind], policyVersion: 1 })
  const maps = ({ state }: TaggedResource) => [state.derived, state.accepted, pendingOf(state)]

  it('go through their life: pending, accepted, revoked, dropped [SMART-11, SMART-12, SMART-14, SMART-15, SMART-16]', () => {
    const org = two()
    const r = new TaggedResource(org)
    expect(shown(r.discover())).to.deep.equal([])
    const both = { loc: 'us-east-1', kind: 'aws-ec2' }
    expect(maps(r)).to.deep.equal([both, {}, both])
    expect(r.state.derivedBy).to.deep.equal({ loc: 'p1', kind: 'p2' })
    const first = r.smart({ keys: ['loc'] })
    expect(shown(first)).to.deep.equal([['smart', { loc: 'us-east-1' }]])
    expect(first.replies).to.deep.equal([
      {
        resourceUid: 'i-1',
        cloudAccountId: 'acct-1',
        derived: both,
        accepted: { loc: 'us-east-1' },
        pending: { kind: 'aws-ec2' },
      },
    ])
    expect(shown(r.smart({ all: true, keys: ['no such key'] }))).to.deep.equal([['smart', both]])
    expect(maps(r)).to.deep.equal([both, both, {}])
    expect(shown(r.smart({ accepted: false, keys: ['kind'] }))).to.deep.equal([['smart', { loc: 'us-east-1' }]])
    expect(maps(r)).to.deep.equal([both, { loc: 'us-east-1' }, { kind: 'aws-ec2' }])
    expect(shown(r.discover({ region: 'eu-west-1' }))).to.deep.equal([['smart', {}]])
    const moved = { loc: 'eu-west-1', kind: 'aws-ec2' }
    expect(maps(r)).to.deep.equal([moved, {}, moved])
    org.policies = [loc]
    r.discover({ region: 'eu-west-1' })
    expect(maps(r)).to.deep.equal([moved, {}, moved])
    org.policyVersion = 2
    r.discover({ region: 'eu-west-1' })
    expect(maps(r)).to.deep.equal([{ loc: 'eu-west-1' }, {}, { loc: 'eu-west-1' }])
    r.smart({ all: true })
    expect(shown(r.delete())).to.deep.equal([])
    expect(maps(r)).to.deep.equal([{}, {}, {}])
    // Past costs keep their tags, also where an acceptance of many comes late.
    expect(shown(r.smart({ all: true, quiet: true }))).to.deep.equal([])
  })

  it('are decided whole or not at all: keys that are not there are named, or left out where nobody waits', () => {
    const r = new TaggedResource(two())
    r.discover()
    expect(r.smart({ keys: ['loc', 'x'] }).refused).to.equal('validation_failed')
    expect(r.smart({ accepted: false, keys: ['loc'] }).refused).to.equal('validation_failed')
    expect(r.state.accepted).to.deep.equal({})
    r.smart({ keys: ['loc', 'x'], quiet: true })
    expect(r.state.accepted).to.deep.equal({ loc: 'us-east-1' })
    expect(r.smart({ keys: ['loc'] }).refused).to.equal('validation_failed')
    const nobody = new TaggedResource()
    expect([nobody.smart({ all: true }).refused, nobody.smart({ all: true, quiet: true }).refused]).to.deep.equal([
      'not_found',
      undefined,
    ])
  })

  it('leave who decided what in the timeline of the resource, once', () => {
    const r = new TaggedResource(two())
    r.discover()
    const smartTags = { from: {}, to: { loc: 'us-east-1' } }
    expect(changes(r.smart({ keys: ['loc'] }))).to.deep.equal([
      ['configuration_change', 'user', { smartTags, userId: 'u-1' }],
    ])
    expect(changes(r.smart({ keys: ['loc'], quiet: true }))).to.deep.equal([])
  })

  it('are those of the policies as they are now wherever it looks, also behind a message that says nothing new [SMART-17]', () => {
    const org = organization()
    const r = new TaggedResource(org)
    const found = { facts: {}, observedAt: new Date(t0 + 1000).toISOString() }
    r.discover()
    Object.assign(org, { policies: [loc], policyVersion: 1 })
    const facts = {
      name: 'web',
      type: 'aws-ec2',
      provider: 'aws' as const,
      region: 'us-east-1',
      instanceType: '',
      resourceGroup: '',
      network: '',
      parentUid: '',
      tags: {},
    }
    const look = (observedAt: string) =>
      r.take(
        tagLook,
        { cloudAccountId: 'acct-1', resourceUid: 'i-1', found: { facts, observedAt } },
        { needs: needsOf(org) },
      )
    look(new Date(t0 + 999).toISOString())
    expect(r.state.derived).to.deep.equal({})
    look(found.observedAt)
    expect([r.state.derived, r.state.policyVersion]).to.deep.equal([{ loc: 'us-east-1' }, 1])
  })
})

describe('actor tagging: the order of words', () => {
  const org = () => organization({ policies: [policyOf('p1', 'loc', ['res.region'])], policyVersion: 1 })

  it('is the resource’s own: an older word says nothing, and a late one brings nothing back [AUTO-31, SMART-16]', () => {
    const r = new TaggedResource(org())
    r.discover(shop, { time: t0 })
    r.decide({ status: 'accepted' })
    r.smart({ all: true })
    r.discover({ name: 'a-dev', region: 'old' }, { time: t0 - 1 })
    expect(r.state.derived).to.deep.equal({ loc: 'us-east-1' })
    r.delete({ time: t0 - 1 })
    expect(r.state.deletedAt).to.equal(null)
    const gone = r.delete({ time: t0 + 5000 })
    expect(gone.facts).to.deep.equal([])
    expect(r.state).to.deep.include({
      hasPrediction: false,
      acceptedAt: null,
      derived: {},
      accepted: {},
      evidenceEnv: '',
    })
    r.discover(shop, { time: t0 + 4000 })
    r.discover(shop, { time: t0 + 5000 })
    expect(r.state).to.deep.include({ hasPrediction: false, deletedAt: new Date(t0 + 5000) })
    // Found again it begins anew: pending, and the reports are told that nothing is accepted.
    const again = r.discover(shop, { time: t0 + 5001 })
    expect(shown(again)).to.deep.equal([
      ['smart', {}],
      ['auto', {}],
    ])
    expect(r.state).to.deep.include({ hasPrediction: true, acceptedAt: null, rejectedAt: null, accepted: {} })
  })

  it('holds for what was deleted before it was seen, for what a scan misses and for words of its power', () => {
    const grave = new TaggedResource(org())
    grave.delete({ time: t0 })
    grave.discover(shop, { time: t0 })
    expect(grave.state.hasPrediction).to.equal(false)
    const seen = new TaggedResource(org())
    seen.discover(shop, { time: t0 })
    seen.delete({ time: t0 }, 'refresh-1')
    expect(seen.state.deletedAt).to.equal(null)
    const at = { cloudAccountId: 'acct-1', resourceUid: 'i-1', actionId: 'a-1', n: 1 }
    const moment = (ms: number) => new Date(t0 + ms).toISOString()
    seen.take(powerTold, { ...at, at: moment(50), shows: 'stopping', until: moment(9000) })
    expect(seen.state.observedAt).to.deep.equal(new Date(t0))
    seen.take(powerTold, { ...at, at: moment(100), shows: null, observed: 'stopped' })
    expect(seen.state.observedAt).to.deep.equal(new Date(t0 + 100))
    seen.delete({ time: t0 + 100 }, 'refresh-1')
    expect(seen.state.deletedAt).to.equal(null)
  })

  it('leaves to the resource what cannot be taken at all', () => {
    const r = new TaggedResource(org())
    const done = [r.discover({ type: 'gcp-vm' }), r.discover({ specs: { all: 'x'.repeat(65_536) } })]
    expect([done.map(({ refused }) => refused), r.state.observedAt.getTime()]).to.deep.equal([
      [undefined, undefined],
      0,
    ])
  })

  it('does no more than note when it was seen, where nothing else is new', () => {
    const o = organization({ ...org(), isAllocated: true })
    const r = new TaggedResource(o)
    expect(marked(r.discover(shop))).to.deep.equal([{ projection: 'allocation', key: 'acct-1|i-1' }])
    const { observedAt: _, ...before } = structuredClone(r.state)
    const again = r.discover({ ...shop, tags: { owner: 'Ada', env: 'prod' } })
    const { observedAt, ...after } = r.state
    expect([after, observedAt]).to.deep.equal([before, new Date(t0 + 2000)])
    expect([again.facts, again.emitted, again.marks]).to.deep.equal([[], [], []])
  })

  it('tells rules of teams of new facts and of what is accepted, where there are such rules', () => {
    for (const isAllocated of [true, false]) {
      const r = new TaggedResource(organization({ ...org(), isAllocated }))
      const done = [
        r.discover(shop),
        r.discover({ ...shop, tags: { env: 'prod' } }),
        r.decide({ status: 'accepted' }),
        r.smart({ all: true }),
        r.delete(),
      ]
      expect(done.map(({ marks }) => marks.length)).to.deep.equal(isAllocated ? [1, 1, 1, 1, 0] : [0, 0, 0, 0, 0])
    }
  })
})
