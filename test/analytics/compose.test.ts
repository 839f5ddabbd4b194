import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { queries } from '#analytics/index.ts'
import { Composer, type Language } from '#analytics/store/compose.ts'
import { withoutComments } from '#engine/store/migrate.ts'

const views = [
  `-- Things, with whose they are.
CREATE OR REPLACE VIEW things AS
SELECT id, /*if team*/t.team/*else '' end*/ AS team
FROM thing_at(day = {day:Date}, at = {at:String}) AS t
/*if team*/LEFT JOIN teams(org = {org:String}) AS t ON t.id = id/*end*/
WHERE org = {org:String}/*if sizes*/ AND size IN {sizes:Array(UInt8)}/*end*/`,
  `CREATE OR REPLACE VIEW thing_at AS
/*if no past*/SELECT * FROM thing WHERE /*if past*/{at:String} = '' AND/*end*/ day = {day:Date}/*end*/
/*if past*/SELECT * FROM old_thing WHERE at = {at:String}/*end*/`,
  `CREATE OR REPLACE VIEW teams AS
SELECT 1`,
]
const language: Language = {
  views: () => views,
  composable: ['things', 'thing_at'],
  brings: { team_id: ['team'], at: ['past'] },
  narrowing: ['sizes'],
}
const composer = new Composer(language)
const compose = (sql: string, params = ['org', 'day', 'at', 'sizes', 'before']) => composer.compose('q', sql, params)
const flat = (sql: string, ...asked: string[]) => compose(sql).textOf(asked).replaceAll(/\s+/g, ' ')
const call = 'things(org = {org:String}, day = {before:Date}, at = {at:String}, sizes = {sizes:Array(UInt8)})'
const plain =
  "(SELECT id, '' AS team FROM (SELECT * FROM thing WHERE day = {before:Date} ) AS t WHERE org = {org:String})"

describe('the composer of questions', () => {
  it('leaves out what is marked and not needed, and takes what stands instead', () => {
    const sql = 'SELECT a/*if team*/, team/*if past*/ AS then/*end*//*else , 0 end*//*if no sizes*/ LIMIT 1/*end*/'
    expect(flat(sql)).to.equal('SELECT a, 0 LIMIT 1')
    expect(flat(sql, 'team')).to.equal('SELECT a, team LIMIT 1')
    expect(flat(sql, 'team_id', 'at', 'sizes')).to.equal('SELECT a, team AS then')
  })

  it('combines facts: all of those with `and`, one of those with `or`', () => {
    const sql = 'SELECT a/*if team and no past*/, b/*else , c end*//*if past and sizes or team*/, d/*end*/'
    expect(flat(sql)).to.equal('SELECT a, c')
    expect(flat(sql, 'team')).to.equal('SELECT a, b, d')
    expect(flat(sql, 'team', 'past')).to.equal('SELECT a, c, d')
    expect(flat(sql, 'past')).to.equal('SELECT a, c')
    expect(flat(sql, 'past', 'sizes')).to.equal('SELECT a, c, d')
    expect(compose(sql).factsOf(['team', 'past', 'sizes', 'org'])).to.deep.equal(['past', 'sizes', 'team'])
  })

  it('puts the text of a view in the place of its call, with the parameters of the call', () => {
    expect(flat(`SELECT * FROM ${call} AS r`)).to.equal(`SELECT * FROM ${plain} AS r`)
    expect(flat(`SELECT * FROM ${call}`, 'team_id', 'at', 'sizes')).to.equal(
      'SELECT * FROM (SELECT id, t.team AS team FROM ( SELECT * FROM old_thing WHERE at = {at:String}) AS t' +
        ' LEFT JOIN teams(org = {org:String}) AS t ON t.id = id' +
        ' WHERE org = {org:String} AND size IN {sizes:Array(UInt8)})',
    )
  })

  it('leaves what a call does not name to the question, and binds what it gives as it is', () => {
    expect(flat('SELECT 1 FROM things()')).to.equal(`SELECT 1 FROM ${plain.replace('before', 'day')}`)
    const sql = "SELECT 1 FROM things(day = toDate('2026-01-01', 'UTC'), sizes = [])"
    expect(compose(sql, ['org', 'at']).textOf([]).replaceAll(/\s+/g, ' ')).to.equal(
      `SELECT 1 FROM ${plain.replace('{before:Date}', "toDate('2026-01-01', 'UTC')")}`,
    )
  })

  it('does without a column where a call says so, but not without what narrows', () => {
    const without = call.replace('(', '(/*without team_id*/ ')
    expect(flat(`FROM ${without}, ${call}`, 'team_id')).to.equal(`FROM ${plain}, ${flat(call, 'team_id')}`)
    expect(flat(`FROM ${without}`, 'team_id', 'team')).to.equal(`FROM ${flat(call, 'team')}`)
  })

  it('says which facts a text depends on, those of its views included', () => {
    const asked = ['team_id', 'at', 'org', 'before', 'sizes']
    expect(compose('SELECT 1').factsOf(asked)).to.deep.equal([])
    expect(compose('SELECT 1 FROM thing_at()').factsOf(asked)).to.deep.equal(['past'])
    expect(compose('SELECT 1 FROM thing_at(/*without team_id*/)').factsOf(asked)).to.deep.equal(['past', 'team_id'])
    expect(compose(`SELECT /*if before*/1/*end*/ FROM ${call}`).factsOf(asked)).to.deep.equal([
      'before',
      'past',
      'sizes',
      'team',
    ])
  })

  const wrong: readonly (readonly [what: string, sql: string, said: string])[] = [
    ['a part without an end', 'a /*if team*/ b /*if past*/ c /*end*/', 'q: the part for team has no end.'],
    ['an end of nothing', 'a /*end*/', 'q: /*end*/ has no matching start.'],
    ['an alternative to nothing', 'a /*else b end*/', 'q: /*else b end*/ has no matching start.'],
    ['an unknown fact', '/*if colour*/ a /*end*/', 'q: unknown fact colour.'],
    ['an unknown fact among others', '/*if team and no colour*/ a /*end*/', 'q: unknown fact colour.'],
    ['another comment', 'a /* if team */ b', 'q: /* if team */ b is not a marker.'],
    ['an alternative that does not end', '/*if team*/ a /*else b*/ c /*end*/', 'q: /*else b*/ c  is not a marker.'],
    ['an unknown view', 'SELECT 1 FROM thingies(org = {org:String})', 'q: uses thingies, which is not a view.'],
    [
      'an unknown view instead',
      'FROM /*if team*/things()/*else thingies() end*/',
      'q: uses thingies, which is not a view.',
    ],
    ['an unknown parameter', 'FROM things(colour = 1)', 'q: passes colour to things, which does not accept it.'],
    ['a column that brings nothing', 'FROM things(/*without id*/)', 'q: excludes an unknown id.'],
    [
      'a view narrowed otherwise than the question',
      "FROM things(at = '')",
      'q: filters things by a different at than its own.',
    ],
  ]
  for (const [what, sql, said] of wrong)
    it(`refuses ${what}`, () => {
      expect(() => compose(sql))
        .to.throw()
        .with.property('message', said)
    })

  it('refuses wrong marks and calls of views as it does those of questions', () => {
    const made = (text: string) => () =>
      new Composer({ ...language, views: () => [...views.slice(1), text] }).compose('', 'SELECT 1', [])
    const view = 'CREATE OR REPLACE VIEW things AS\nSELECT 1 '
    expect(made(`${view}/*if colour*/a/*end*/`)).to.throw('things: unknown fact colour.')
    expect(made(`${view}FROM thingies(a = 1)`)).to.throw('things: uses thingies, which is not a view.')
    expect(made('SELECT 1')).to.throw('things: is not a view.')
  })
})

describe('marks of SQL files', () => {
  const files = globSync('analytics/**/*.sql').map((name) => ({ name, text: readFileSync(name, 'utf8') }))
  const marksOf = (text: string) => [
    ...withoutComments(text).matchAll(/\/\*(?:if ([\w ]+)|else (?:(?!\*\/)[^])* end|end)\*\//g),
  ]

  it('are nested at most two deep', () => {
    const depthOf = (text: string) => {
      let depth = 0
      return Math.max(0, ...marksOf(text).map(([, starts]) => (depth += starts === undefined ? -1 : 1)))
    }
    expect(files).to.have.length.above(200)
    expect(depthOf('/*if a*//*if b*//*if c*/x/*end*//*else y end*//*end*/')).to.equal(3)
    expect(files.filter(({ text }) => depthOf(text) > 2).map(({ name }) => name)).to.deep.equal([])
  })

  it("are listed in their file's header", () => {
    const factsOf = (text: string) =>
      marksOf(text).flatMap(([, starts = '']) => starts.match(/\b(?!(?:no|and|or)\b)\w+/g) ?? [])
    for (const { name, text } of files) {
      const [, listed] = /^-- Marks: (.*)\.$/m.exec(text) ?? []
      expect(listed?.split(', ') ?? [], name).to.deep.equal([...new Set(factsOf(text))].toSorted())
    }
  })
})

const { stringify } = JSON
/** What is needed to be known for some parameters of each question over a slice, beside those of its example. */
const needed: Readonly<Record<string, readonly (readonly [params: object, facts: readonly string[]])[]>> = {
  cost_total: [
    [{}, []],
    [{ as_of: '2026-01-01 00:00:00.000' }, ['past']],
    [{ saved: 'verified_saved' }, []],
    [{ providers: ['aws'], accounts: ['a'] }, ['accounts', 'providers']],
    [{ teams: ['t'] }, ['resource', 'team', 'teams']],
    [{ scoped: 1, scope_accounts: ['a'] }, ['scoped']],
    [{ scoped: 1, scope_teams: ['t'] }, ['resource', 'scope_teams', 'scoped', 'team']],
    [{ tag_keys: ['k'], tag_values: [''] }, ['carried', 'line_tags', 'resource', 'tags']],
    [{ where_dims: ['region', 'service_name'] }, ['where_dims']],
    [{ where_dims: ['resource_uid'] }, ['resource', 'where_dims']],
    [{ where_dims: ['team_id'] }, ['resource', 'team', 'where_dims']],
    [{ where_dims: ['sub_account'] }, ['where_dims', 'whose']],
    [{ where_dims: ['tag1'], dim_tags: ['k'] }, ['carried', 'labels', 'line_tags', 'resource', 'where_dims']],
  ],
  committed_costs: [
    [{}, ['resource', 'served']],
    [{ accounts: ['a'] }, ['accounts', 'resource', 'served']],
    [{ regions: ['r'] }, ['placed', 'regions', 'resource', 'served']],
  ],
  cost_by_period: [[{}, []]],
  cost_by_provider: [[{}, []]],
  cost_flow: [
    [{}, []],
    [{ d2: 'team_id' }, ['resource', 'team']],
    [{ d2: 'invoice_id' }, ['invoice', 'line_tags', 'resource', 'whose']],
    [{ d6: 'tag1', dim_tags: ['k'], dim_values: [[]] }, ['carried', 'labels', 'line_tags', 'resource']],
    [{ services: ['s'], invoices: [''] }, ['invoice', 'line_tags', 'resource', 'services', 'whose']],
    [{ d1: 'cluster', namespaces: ['n'] }, ['clustered', 'namespaces']],
    [{ d2: 'team_id', divided: 1 }, ['divided', 'resource', 'team']],
  ],
  cost_flow_resources: [
    [{}, ['resource']],
    [{ d6: 'nothing' }, []],
    [{ d6: 'nothing', uids: ['u'] }, ['resource', 'uids']],
  ],
  cost_resource_days: [[{}, ['resource']]],
  cost_days_by_resource: [[{}, ['resource']]],
  forecast_billed_days: [[{}, []]],
  forecast_charges: [[{}, ['served']]],
  cost_by_resource: [[{}, ['resource']]],
  cost_by_column: [
    [{}, ['resource']],
    [{ column: 'invoice_id' }, ['invoice', 'line_tags', 'resource', 'whose']],
    [{ column: 'tag1', dim_tags: ['k'] }, ['carried', 'labels', 'line_tags', 'resource']],
  ],
  estimated_days: [
    [{}, []],
    [{ as_of: 'now' }, ['past']],
  ],
  cost_estimates: [
    [{}, ['resource', 'resource_uid']],
    [{ services: ['s'], teams: ['t'] }, ['resource', 'resource_uid', 'services', 'team', 'teams']],
  ],
  cost_estimated_periods: [
    [{}, ['resource']],
    [{ services: ['s'], teams: ['t'] }, ['resource', 'services', 'team', 'teams']],
  ],
  cost_series: [
    [{}, []],
    [{ d1: 'team_id' }, ['resource', 'team']],
    [{ d3: 'invoice_id' }, ['invoice', 'line_tags', 'resource', 'whose']],
    [{ uids: ['u'] }, ['resource', 'uids']],
    [{ d1: 'resource_uid', services: ['s'] }, ['resource', 'services']],
  ],
  cost_drivers: [
    [{}, ['resource', 'served', 'whose']],
    [{ accounts: ['a'], purchases: ['spot'] }, ['accounts', 'purchases', 'resource', 'served', 'whose']],
    [{ of_teams: 1 }, ['of_teams', 'resource', 'served', 'team', 'whose']],
  ],
  cost_resources: [[{}, ['resource']]],
  cost_by_team: [[{}, ['by_team', 'resource', 'team']]],
  cost_by_team_period: [[{}, ['resource', 'team']]],
  budget_charges: [[{}, ['carried', 'resource', 'served', 'team']]],
  budget_spend: [
    [{ ids: ['t'] }, ['carried', 'resource', 'served', 'team']],
    [{ dim_tags: ['env'], dim_values: [[]] }, ['carried', 'labels', 'line_tags', 'resource', 'served', 'team']],
  ],
  shared_cost_preview: [[{}, ['resource', 'team', 'whose']]],
  direct_costs: [[{ as_of: 'now' }, ['past', 'resource', 'team']]],
  allocation_facts: [
    [{}, ['uids']],
    [{ uids: [] }, []],
  ],
  resource_cost_sums: [[{}, ['resource']]],
  tag_keys: [[{}, ['carried', 'line_tags', 'resource']]],
  tag_totals: [[{}, ['carried', 'line_tags', 'resource']]],
  tag_pairs: [[{}, ['carried', 'line_tags', 'resource']]],
  tag_values: [[{ teams: ['t'] }, ['carried', 'line_tags', 'resource', 'team', 'teams']]],
  anomaly_candidates: [[{}, ['carried', 'resource', 'team', 'team_id']]],
  anomaly_breakdown: [[{}, ['carried', 'resource', 'served', 'team']]],
  anomaly_history: [[{}, ['carried', 'days', 'dim_types', 'resource', 'team', 'team_id']]],
  anomaly_series: [
    [{}, ['carried', 'owned']],
    [{ accounts: ['a'] }, ['accounts', 'carried', 'owned']],
    [{ uids: ['i-1'] }, ['carried', 'owned', 'resource', 'uids']],
    [{ group: 'g' }, ['carried', 'group', 'owned', 'resource']],
    [{ teams: ['t'] }, ['carried', 'owned', 'resource', 'team', 'teams']],
  ],
  kubernetes_costs: [
    [{}, []],
    [
      { by_cluster: 0, by_controller: 1, by_pod: 1, label: 'team', clusters: ['c'] },
      ['by_controller', 'clusters', 'detailed', 'label'],
    ],
    [{ shares: 1, coarse: 1 }, ['coarse', 'shares']],
  ],
  receipt_total: [[{}, ['line_tags', 'resource', 'whose']]],
  receipt_figure: [
    [{}, []],
    [{ untagged: 1 }, ['carried', 'line_tags', 'resource', 'untagged']],
    [{ group: 'g' }, ['group', 'resource']],
  ],
  receipt_parts: [
    [{}, ['clustered', 'line_tags', 'resource', 'whose']],
    [{ teams: ['t'] }, ['clustered', 'line_tags', 'resource', 'team', 'teams', 'whose']],
  ],
  receipt_parts_total: [[{}, ['clustered', 'line_tags', 'resource', 'whose']]],
  receipt_lines: [[{ categories: ['Tax'] }, ['categories', 'line_tags', 'resource', 'whose']]],
  export_costs: [
    [{}, []],
    [{ d12: 'resource_uid' }, ['resource']],
  ],
  focus_lines: [
    [{}, ['narrow', 'resource']],
    [{ narrow: 0 }, ['resource']],
  ],
  metric_summary: [[{}, []]],
  metric_by_resource: [[{ teams: ['t'] }, ['team', 'teams']]],
  metric_daily: [[{ teams: ['t'] }, ['team', 'teams']]],
  resource_activity: [[{ scoped: 1, scope_teams: ['t'] }, ['scope_teams', 'scoped', 'team']]],
  period_resources: [[{}, ['resource']]],
  saving_sums: [
    [{}, ['resource']],
    [{ column: 'group_id' }, ['grouped', 'resource']],
    [{ column: 'team_id' }, ['attributed', 'resource', 'team']],
    [{ accounts: ['a'] }, ['accounts', 'resource']],
  ],
  space_cost: [
    [{}, ['accounts', 'regions', 'resource']],
    [{ accounts: [], regions: [] }, ['resource']],
  ],
}

describe('a question over a slice', () => {
  it('is each that depends on what it is asked with', () => {
    const composed = queries.filter(
      (q) => q.factsFor({ ...q.example, teams: ['t'], as_of: 'now', by_pod: 1 }).length > 0,
    )
    expect(composed.map(({ name }) => name).toSorted()).to.deep.equal(Object.keys(needed).toSorted())
  })

  for (const q of queries)
    for (const [params, facts] of needed[q.name] ?? [])
      it(`${q.name} needs ${facts.join(', ') || 'nothing more'} for ${stringify(params)}`, () => {
        const found = q.factsFor({ ...q.example, ...params })
        expect(found.filter((fact) => fact !== 'by_resource' && fact !== 'charges')).to.deep.equal(facts)
      })

  it('is asked without what was saved where it reads nothing but charges', () => {
    const asked = queries.filter((q) => q.factsFor(q.example).includes('charges'))
    expect(asked.map(({ name }) => name).toSorted()).to.deep.equal([
      'anomaly_breakdown',
      'anomaly_candidates',
      'anomaly_history',
      'anomaly_series',
      'budget_charges',
      'budget_spend',
      'cost_by_team',
      'cost_by_team_period',
      'cost_drivers',
      'cost_estimated_periods',
      'cost_estimates',
      'cost_flow',
      'cost_flow_resources',
      'cost_resources',
      'cost_series',
      'direct_costs',
      'estimated_days',
      'forecast_charges',
      'shared_cost_preview',
    ])
    for (const q of asked) expect(q.textFor(q.example), q.name).to.not.include('FROM saving_daily')
  })

  it('has shared costs handed out with their resources only where it asks for resources', () => {
    const asks = (name: string, params: object) => {
      const q = queries.find((one) => one.name === name)!
      return q.factsFor({ ...q.example, teams: ['t'], shared: 1, ...params }).includes('by_resource')
    }
    const ways: [string, object, boolean][] = [
      ['cost_total', {}, false],
      ['cost_by_team_period', {}, false],
      ['cost_flow', { d1: 'team_id' }, false],
      ['cost_flow', { d1: 'resource_uid' }, true],
      ['cost_flow', { d1: 'tag1', dim_tags: ['k'], dim_values: [[]] }, true],
      ['cost_resources', {}, true],
      ['tag_pairs', {}, true],
    ]
    for (const [name, params, is] of ways) expect(asks(name, params), name).to.equal(is)
  })

  it('reads sums without resources unless it needs them, whatever the time', () => {
    const total = queries.find(({ name }) => name === 'cost_total')!
    const tables = (params: object) => [
      ...new Set(
        [...total.textFor({ ...total.example, ...params }).matchAll(/FROM (\w+_\w+)/g)].map(([, name]) => name),
      ),
    ]
    expect(tables({})).to.deep.equal(['cost_service_daily_slot', 'cost_day', 'saving_daily'])
    expect(tables({ as_of: 'then' })).to.deep.equal([
      'cost_service_daily_slot',
      'cost_day',
      'cost_daily_kept',
      'cost_day_kept',
      'saving_daily',
    ])
    expect(tables({ tag_keys: ['k'] })).to.deep.equal([
      'cost_daily_slot',
      'cost_day',
      'saving_daily',
      'resource_state',
      'billed_tag',
      'accepted_tag',
    ])
  })
})
