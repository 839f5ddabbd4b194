import { expect } from 'chai'
import type * as Entries from '#http/console/web/frame/menu-entries.ts'
import type * as Heading from '#http/console/web/frame/heading.ts'
import type * as Recent from '#http/console/web/frame/recent.ts'
import type * as Router from '#http/console/web/router.ts'
import type * as Session from '#http/console/web/session.ts'
import { fakePage, type FakePage } from '#test/console/fake-page.ts'

const url = 'https://costs.example.com/console/'

describe('the menu of the console', () => {
  let page: FakePage
  let entries: typeof Entries
  let heading: typeof Heading
  let recent: typeof Recent
  let router: typeof Router
  let session: typeof Session
  before(async () => {
    page = fakePage(url)
    router = await import('#http/console/web/router.ts')
    session = await import('#http/console/web/session.ts')
    entries = await import('#http/console/web/frame/menu-entries.ts')
    heading = await import('#http/console/web/frame/heading.ts')
    recent = await import('#http/console/web/frame/recent.ts')
    router.watchLinks()
  })
  after(() => {
    session.session.value = undefined
    page.close()
  })

  it('has its views in six groups, parts with a place of their own among them', () => {
    const groups = entries.menuGroups.map(([group, some]) => [group, some.map(({ title }) => title).join(', ')])
    expect(Object.fromEntries(groups)).to.deep.equal({
      Costs: 'Overview, Explorer, Dashboards, Kubernetes, Anomalies',
      Allocation: 'Teams, Tags, Budgets, Allocation rules, Unit economics',
      Savings: 'Recommendations, Savings, Workflows, Commitments, What-if',
      Automation: 'Schedules, Resource groups, Autoscaling, Event readiness, Provisioning',
      Data: 'Inventory, Live, Sources, Dead letters, Scheduled exports, Exchange rates',
      Organization: 'Notifications, Members, Roles, Account, Security, Settings, Saved views',
    })
  })

  it('knows the entry of an address: a part of a view by its tab, a resource by the inventory', () => {
    const at = (view: string, query = '') => entries.entryOf({ view, query: new URLSearchParams(query) })?.title
    expect([
      at('overview'),
      at('savings'),
      at('savings', 'tab=commitments'),
      at('savings', 'tab=claims'),
      at('resource', 'uid=i-1'),
      at('nowhere'),
    ]).to.deep.equal(['Overview', 'Savings', 'Commitments', 'Savings', 'Inventory', undefined])
  })

  /** Signs somebody in, as far as what is remembered needs to know. */
  const enter = (email: string, orgID: string) => {
    session.session.value = { user: { email, name: '' }, orgID, tenants: [], me: {} } as never
  }
  /** Looks at what an address shows, under the headings that it draws. */
  const look = (view: string, query: Record<string, string>, title: string, detail = '') => {
    router.go(view, query)
    heading.heading.value = { view: title, detail }
  }
  const remembered = () => recent.recentItems().map(({ title, href }) => [title, href])

  it('remembers what was left, newest first: a view without its filters, a thing at its own address', () => {
    enter('ana@example.com', 'o-1')
    const end = recent.watchRecent()
    look('costs', { range: '7d' }, 'Explorer')
    look('resource', { uid: 'i-1', page: '2' }, 'web-1')
    look('budgets', { budget: 'b-1' }, 'Budgets', 'Shop')
    look('costs', { range: '30d' }, 'Explorer')
    look('teams', {}, '')
    look('tags', {}, 'Tags')
    end()
    expect(remembered()).to.deep.equal([
      ['Explorer', 'costs'],
      ['Shop', 'budgets?budget=b-1'],
      ['web-1', 'resource?uid=i-1'],
    ])
  })

  it('remembers for each person and organization apart, and understands nothing that it did not write', () => {
    enter('bob@example.com', 'o-1')
    expect(remembered()).to.deep.equal([])
    enter('ana@example.com', 'o-2')
    expect(remembered()).to.deep.equal([])
    for (const text of ['{', '{"a":1}', '[{"href":1}]', 'null']) {
      page.localStorage.setItem(JSON.stringify(['recent', session.viewerKey()]), text)
      expect(remembered(), text).to.deep.equal([])
    }
  })
})
