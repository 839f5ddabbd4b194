import { expect } from 'chai'
import {
  aliasesOf,
  allocationDraft,
  allocationEmpty,
  allocationSpecOf,
  sharedDraft,
  sharedEmpty,
  sharedSpecOf,
} from '#http/console/web/view/allocation/draft.ts'
import { likeliest, spellings } from '#http/console/web/view/allocation/guess-team-tag.ts'
import {
  allocationText,
  inOrder,
  mayGive,
  mayTakePart,
  sharedText,
  withoutIt,
} from '#http/console/web/view/allocation/rule-text.ts'
import { daysBilled } from '#http/console/web/forecast-readiness.ts'

const names = new Map([
  ['t1', 'Data'],
  ['t2', 'Shop'],
  ['a1', 'production'],
])
const kept = (spec: unknown) => ({ name: 'Rule', enabled: true, spec })

describe('rules as forms hold them', () => {
  const specs = {
    'tag-names': { priority: 100, teamFromTag: { key: 'team', aliases: { 'a=b': 'Data', x: 'Shop' }, create: true } },
    tag: {
      priority: 5,
      selector: { all: [{ attr: 'res.tags.app', op: 'in', values: ['web', 'api'] }] },
      team: 't1',
    },
    account: {
      priority: 1,
      selector: { all: [{ attr: 'res.cloud_account_id', op: 'in', values: ['a1'] }] },
      team: 't2',
    },
    spec: {
      priority: 7,
      selector: {
        all: [
          { attr: 'res.region', op: 'in', values: ['eu-west-1'] },
          { attr: 'res.tags.app', op: 'exists' },
        ],
      },
      team: 't1',
    },
  }

  it('come back as the spec that they were, each in the simplest form that says all of it', () => {
    for (const [mode, spec] of Object.entries(specs)) {
      const draft = allocationDraft(kept(spec))
      expect([draft.mode, allocationSpecOf(draft)]).to.deep.equal([mode, spec])
    }
  })

  it('go as JSON where a form would lose something', () => {
    const negated = {
      priority: 1,
      selector: { all: [{ attr: 'res.tags.app', op: 'not_in', values: ['x'] }] },
      team: 't1',
    }
    expect(allocationDraft(kept(negated)).mode).to.equal('spec')
    const narrowed = { priority: 1, selector: specs.tag.selector, teamFromTag: { key: 'team' } }
    expect(allocationDraft(kept(narrowed)).mode).to.equal('spec')
    const byList = {
      selector: { all: [{ attr: 'line.service', op: 'in', values: ['x'] }] },
      method: 'even',
      cost: 'list',
    }
    expect(sharedDraft(kept(byList)).mode).to.equal('spec')
  })

  it('send what is no number as it was typed, for the API to refuse', () => {
    expect(allocationSpecOf({ ...allocationEmpty, key: 'team', priority: 'ten' })).to.deep.equal({
      priority: 'ten',
      teamFromTag: { key: 'team' },
    })
    expect(() => allocationSpecOf({ ...allocationEmpty, mode: 'spec', text: '{' })).to.throw(SyntaxError)
  })

  it('divide other spellings at the last equals sign, and keep one without a team', () => {
    expect(aliasesOf(' a=b = Data \n\nshop')).to.deep.equal({ 'a=b': 'Data', shop: '' })
  })

  it('hold rules for shared costs', () => {
    const service = {
      selector: { all: [{ attr: 'line.service', op: 'in', values: ['AWS Support'] }] },
      method: 'even',
      among: ['t1', 't2'],
    }
    const fixed = {
      selector: { all: [{ attr: 'res.tags.shared', op: 'exists' }] },
      method: 'fixed',
      fixed: { t1: 25, t2: 75 },
    }
    for (const spec of [service, fixed]) expect(sharedSpecOf(sharedDraft(kept(spec)))).to.deep.equal(spec)
    expect(sharedSpecOf({ ...sharedEmpty, values: 'Tax', mode: 'category' })).to.deep.equal({
      selector: { all: [{ attr: 'line.charge_category', op: 'in', values: ['Tax'] }] },
      method: 'proportional',
      among: 'all',
    })
  })

  it('are said in words', () => {
    expect(Object.values(specs).map((spec) => allocationText(spec, names))).to.deep.equal([
      'The team named by tag team (2 other spellings; missing teams are created)',
      'Where tag app is web or api: to Data',
      'Where account is production: to Shop',
      'Where region is eu-west-1, and tag app exists: to Data',
    ])
    const selector = { all: [{ attr: 'line.service', op: 'contains', values: ['Support'] }] }
    expect(sharedText({ selector, method: { fixed: { t1: 40, t2: 60 } } }, names)).to.equal(
      'Where service contains Support: distributed to Data 40%, Shop 60%',
    )
    expect(sharedText({ selector, method: 'even', among: ['t2'] }, names)).to.equal(
      'Where service contains Support: distributed to Shop, evenly',
    )
  })

  it('may give a team something where they name it, or all', () => {
    expect(Object.values(specs).map((spec) => mayGive({ spec }, 't1'))).to.deep.equal([true, true, false, true])
    const shared = [{ method: 'even' }, { method: 'even', among: ['t2'] }, { method: 'fixed', fixed: { t1: 100 } }]
    expect(shared.map((spec) => mayTakePart({ spec }, 't1'))).to.deep.equal([true, false, true])
  })

  it('are in the order in which they are asked: by priority, then age', () => {
    const rule = (id: string, priority: number, createdAt: string) => ({ id, createdAt, spec: { priority } })
    const rules = [rule('c', 9, '2026-01-01'), rule('b', 1, '2026-01-02'), rule('a', 1, '2026-01-01')]
    expect(inOrder(rules).map(({ id }) => id)).to.deep.equal(['a', 'b', 'c'])
  })

  it('select nothing once they are looked at as if they were not there', () => {
    expect(withoutIt(specs.tag)).to.deep.equal({
      ...specs.tag,
      selector: { all: [{ attr: 'res.provider', op: 'equals', values: ['(no rule)'] }] },
    })
  })
})

describe('teams from a tag', () => {
  const keys = (...some: string[]) => some.map((tagKey) => ({ tagKey }))

  it('go by a key that says whose something is, else by the dearest', () => {
    expect(likeliest(keys('location', 'owner', 'Team'))).to.equal('Team')
    expect(likeliest(keys('location', 'cost-center', 'owner'))).to.equal('cost-center')
    expect(likeliest(keys('location', 'env'))).to.equal('location')
    expect(likeliest([])).to.equal(undefined)
  })

  it('take the dearest spelling of each for its name; case needs no alias', () => {
    expect(
      spellings([
        ['data', 'Data', 'data-team'],
        ['shop', 'shop-team'],
      ]),
    ).to.deep.equal({
      'data-team': 'data',
      'shop-team': 'shop',
    })
  })
})

describe('days that a forecast needs', () => {
  const days = (before: number, billed: number, after: number) => [
    ...Array<number>(before).fill(0),
    ...Array<number>(billed).fill(1),
    ...Array<number>(after).fill(0),
  ]

  it('are 28 settled ones, the newest at most 14 days old', () => {
    expect(
      [days(4, 28, 3), days(5, 28, 2), days(0, 28, 14), days(0, 28, 15), days(35, 0, 0)].map(daysBilled),
    ).to.deep.equal([
      { days: 28, canTell: true },
      { days: 27, canTell: false },
      { days: 28, canTell: true },
      { days: 28, canTell: false },
      { days: 0, canTell: false },
    ])
  })

  it('are not those of a silence of more than a week from the bills on both sides', () => {
    const silent = (length: number) => [...days(0, 10, length), ...days(0, 18, 3)]
    expect([0, 7, 8, 13, 14, 20].map((length) => daysBilled(silent(length)).days)).to.deep.equal([
      28, 35, 34, 29, 28, 28,
    ])
    // One bill four weeks ago and one today.
    expect(daysBilled([...days(0, 1, 26), ...days(0, 1, 0)])).to.deep.equal({ days: 1, canTell: false })
  })
})
