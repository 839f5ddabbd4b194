import { expect } from 'chai'
import '#test/console/tsx.ts'
import { fakePage, type FakePage } from '#test/console/fake-page.ts'
import type * as Notes from '#http/console/web/part/notes.tsx'
import type { Scope } from '#http/console/web/view/budgets/scopes.ts'
import type * as Budget from '#http/console/web/view/costs/budget.ts'

describe('the budget as a line over costs', () => {
  let page: FakePage
  let budget: typeof Budget
  before(async () => {
    page = fakePage('https://costs.example.com/console/')
    budget = await import('#http/console/web/view/costs/budget.ts')
  })
  after(() => page.close())

  it('is of exactly what costs are narrowed to', async () => {
    const { isFilterOf } = await import('#http/console/web/view/budgets/scopes.ts')
    const scope = (kind: Scope['kind'], id = '') => ({ kind, id, name: 'x' })
    const of = (one: Scope, query: Record<string, string[]>) => isFilterOf(one, query)
    expect([
      of(scope('org'), {}),
      of(scope('team', 't-1'), { team_id: ['t-1'] }),
      of(scope('team', 't-1'), { 'filter[team_id]': ['t-1'] }),
      of(scope('cloud_account', 'a-1'), { 'filter[cloud_account_id]': ['a-1'] }),
      of(scope('service', 'Amazon S3'), { 'filter[service_name]': ['Amazon S3'] }),
      of(scope('tag', 'env:prod'), { tag: ['env:prod'] }),
    ]).to.deep.equal(Array(6).fill(true))
    expect([
      of(scope('org'), { team_id: ['t-1'] }),
      of(scope('team', 't-1'), { team_id: ['t-1', 't-2'] }),
      of(scope('team', 't-1'), { team_id: ['t-1'], region: ['eu'] }),
      of(scope('team'), {}),
      of(scope('tag', 'env:prod'), { tag: ['env'] }),
    ]).to.deep.equal(Array(5).fill(false))
  })

  it('has the whole budget of a month, and the share of the days that are shown', () => {
    const line = (periods: string[], from: string, to: string, isCumulative = false) =>
      budget.budgetLine(periods, { from, to }, 2800, isCumulative).values.map((value) => Math.round(value! * 100) / 100)
    expect(line(['2026-01', '2026-02'], '2026-01-01', '2026-02-10')).to.deep.equal([2800, 2800])
    // January has 31 days, February 28.
    expect(line(['2026-01-31', '2026-02-01'], '2026-01-31', '2026-02-01')).to.deep.equal([90.32, 100])
    // The week from February 2 to 8, of which the last five days are shown.
    expect(line(['2026-W06', '2026-W07'], '2026-02-04', '2026-02-15')).to.deep.equal([500, 700])
    expect(line(['2026-02-01', '2026-02-02'], '2026-02-01', '2026-02-02', true)).to.deep.equal([100, 200])
  })
})

describe('notes in a chart', () => {
  let page: FakePage
  let marksOf: typeof Notes.noteMarks
  before(async () => {
    page = fakePage('https://costs.example.com/console/')
    marksOf = (await import('#http/console/web/part/notes.tsx')).noteMarks
  })
  after(() => page.close())

  it('are marked at the day, the week or the month that has their day, and nowhere if none has', () => {
    const notes = [
      { day: '2026-02-08', text: 'Sunday' },
      { day: '2026-02-09', text: 'Monday' },
    ]
    const at = (periods: string[]) => marksOf(periods, notes).map(({ period, text }) => `${period} ${text}`)
    expect(at(['2026-02-07', '2026-02-08'])).to.deep.equal(['2026-02-08 Sunday'])
    expect(at(['2026-W06', '2026-W07'])).to.deep.equal(['2026-W06 Sunday', '2026-W07 Monday'])
    expect(at(['2026-02'])).to.deep.equal(['2026-02 Sunday', '2026-02 Monday'])
  })
})

describe('deployments in a chart', () => {
  let page: FakePage
  before(() => void (page = fakePage('https://costs.example.com/console/')))
  after(() => page.close())

  it('are marked at the period in which they went live, with their name and version', async () => {
    const { deploymentMarks } = await import('#http/console/web/part/deployments.tsx')
    const deployed = (day: string, more: object) => ({
      id: day,
      deploymentID: 'd-1',
      deploymentName: 'Shop',
      commitSHA: 'a3'.repeat(20),
      completedAt: `${day}T23:59:59.000Z`,
      ...more,
    })
    const all = [
      deployed('2026-02-08', { imageRef: 'registry.example.test/shop:1.4.0' }),
      deployed('2026-02-09', { deploymentName: '' }),
    ]
    const at = (periods: string[]) =>
      deploymentMarks(periods, all).map(({ period, letter, text }) => `${period} ${letter} ${text}`)
    expect(at(['2026-02-08'])).to.deep.equal(['2026-02-08 D deployed Shop, shop:1.4.0'])
    expect(at(['2026-W07'])).to.deep.equal(['2026-W07 D deployed Deleted deployment, a3a3a3a3a3'])
  })
})
