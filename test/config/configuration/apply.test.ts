import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { commanded, tidemark } from '#test/harness/command.ts'
import { colleague } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const configuration = `
kind: team
name: Payments
description: Takes the money
memberUserIDs: ["\${member:OWNER}"]
---
kind: resource-group
name: Night shift
members: [{ resourceUID: i-2 }, { resourceUID: i-1 }]
---
kind: role
name: Payments readers
permissions: [space.view, service.view]
reportScope: { all: false, teamIDs: ["\${team:Payments}"] }
---
kind: channel
name: Costs
type: slack
config: { webhookURL: "\${env:TEST_WEBHOOK}", digest: daily, timezone: Europe/Berlin }
---
kind: policy
domain: allocation
name: Payments by tag
spec: { priority: 10, team: "\${team:payments}", selector: { all: [{ attr: res.provider, op: in, values: [aws] }] } }
---
kind: budget
teamName: Payments
monthlyBudgetUSD: 1000
thresholds: [{ percent: 110, of: forecast }, { percent: 50, of: spend }]
---
kind: budget
scope: { kind: tag, id: "env:prod" }
monthlyBudgetUSD: 500
---
kind: schedule
name: Night
timezone: Europe/Berlin
rules: [{ action: stop, cron: "0 20 * * 1-5" }, { action: start, cron: "0 7 * * 1-5" }]
resourceGroupIDs: ["\${resource-group:Night shift}"]
skipDates: [2030-12-25]
---
kind: unit-metric
key: orders
name: Orders
unit: order
ingestion: push
aggregation: sum
---
kind: saved-view
name: Services
view: costs
query: range=month&dims=service_name
shared: organization
---
kind: subscription
channelID: "\${channel:Costs}"
eventType: budget.exceeded
scopeType: team
scopeID: "\${team:Payments}"
---
kind: settings
anomalyNotifyMinUSD: 75
`

describe('configuration files', () => {
  let org: Tenant
  let of: string[]
  let folder: string
  const file = (name: string, text: string): string => {
    const at = path.join(folder, name)
    writeFileSync(at, text)
    return at
  }
  const failed = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    commanded('policy', ...args, ...of).then(
      () => expect.fail('it succeeded'),
      (error) => error,
    )

  before(async () => {
    process.env['TEST_WEBHOOK'] = 'https://hooks.slack.com/services/T000/B000/XXXX'
    folder = mkdtempSync(path.join(tmpdir(), 'configuration-'))
    org = await tenant()
    of = ['--org', org.orgId]
  })
  after(() => {
    delete process.env['TEST_WEBHOOK']
    rmSync(folder, { recursive: true })
  })

  it('create everything once, in the order in which one needs the other, and change nothing the second time', async () => {
    const { email } = await colleague(org, 'owner')
    const all = file('all.yaml', configuration.replace('OWNER', email.toUpperCase()))
    const planned = await failed('plan', all)
    expect([planned.code, planned.stdout]).to.deep.equal([
      3,
      [
        '+ create team Payments',
        '+ create resource-group Night shift',
        '+ create role Payments readers',
        '+ create channel Costs',
        '+ create policy allocation / Payments by tag',
        '+ create budget team / Payments',
        '+ create budget tag / env:prod',
        '+ create schedule Night',
        '+ create unit-metric orders',
        '+ create saved-view Services',
        '+ create subscription Costs / budget.exceeded / team / Payments',
        '~ change settings',
        '    anomalyNotifyMinUSD: 0 -> 75',
        '0 of 12 unchanged.',
        '',
      ].join('\n'),
    ])
    expect((await org.get('/teams')).body.data.items).to.deep.equal([])
    expect(await tidemark('policy', 'apply', all, ...of)).to.have.length(12)
    const [team] = (await org.get('/teams')).body.data.items
    const [role] = (await org.get('/roles')).body.data.items.filter(({ system }: any) => !system)
    const [rule] = (await org.get('/policies?domain=allocation')).body.data.items
    expect([team.description, role.reportScope.teamIDs, rule.spec.team]).to.deep.equal([
      'Takes the money',
      [team.id],
      team.id,
    ])
    expect((await commanded('policy', 'plan', all, ...of)).stdout).to.equal('Nothing to change: 12 of 12 unchanged.\n')
  })

  it('show what somebody has changed by hand, and change it back', async () => {
    const ofTeam = async () => (await org.get('/budgets')).body.data.find(({ scope }: any) => scope.kind === 'team')
    const budget = await ofTeam()
    await org.send('PUT', `/budgets/${budget.id}`, { monthlyBudgetUSD: 1200 })
    const drift = await failed('plan', path.join(folder, 'all.yaml'))
    expect([drift.code, drift.stdout]).to.deep.equal([
      3,
      '~ change budget team / Payments\n    monthlyBudgetUSD: 1200 -> 1000\n11 of 12 unchanged.\n',
    ])
    await commanded('policy', 'apply', path.join(folder, 'all.yaml'), ...of)
    expect((await ofTeam()).monthlyBudgetUSD).to.equal(1000)
  })

  it('are written from what exists, without secrets, and then describe it', async () => {
    const out = path.join(folder, 'out')
    await commanded('policy', 'export', out, ...of)
    expect(readdirSync(out).toSorted()).to.deep.equal(
      [
        'budget.yaml',
        'channel.yaml',
        'policy.yaml',
        'resource-group.yaml',
        'role.yaml',
        'saved-view.yaml',
        'schedule.yaml',
        'settings.yaml',
        'subscription.yaml',
        'team.yaml',
        'unit-metric.yaml',
      ].toSorted(),
    )
    expect(readFileSync(path.join(out, 'channel.yaml'), 'utf8')).to.not.contain('hooks.slack.com')
    expect(readFileSync(path.join(out, 'policy.yaml'), 'utf8')).to.contain('team: ${team:Payments}')
    const { stdout } = await commanded('policy', 'plan', out, ...of)
    expect(stdout).to.equal('Nothing to change: 12 of 12 unchanged.\n')
  })

  it('delete only with --prune, only kinds that they describe, and only when confirmed', async () => {
    const one = file('one.yaml', 'kind: team\nname: Platform\n')
    expect(await tidemark('policy', 'apply', one, ...of)).to.deep.equal([
      { what: 'create', kind: 'team', name: 'Platform' },
    ])
    const unsure = await failed('apply', one, '--prune')
    expect([unsure.code, unsure.stderr]).to.deep.equal([
      2,
      'tidemark policy apply: - delete team Payments\nDelete these 1? Nothing was changed. Use --yes to confirm.\n',
    ])
    await commanded('policy', 'apply', one, '--prune', '--yes', ...of)
    const named = async (route: string) => (await org.get(route)).body.data.items.map(({ name }: any) => name)
    expect([await named('/teams'), await named('/schedules')]).to.deep.equal([['Platform'], ['Night']])
  })

  it('are refused before anything is changed, with the place and the reason', async () => {
    const before = 'kind: team\nname: Before\n---\n'
    const cases: [string, string][] = [
      ['kind: teem\nname: A', 'has the unknown kind teem. Kinds: team, resource-group'],
      ['name: A', 'has no kind. Kinds: team'],
      ['- a', 'must be an object with a kind.'],
      [
        'kind: team\nname: A\ncolour: red',
        'a team has no member colour. Its members: name, description, memberUserIDs.',
      ],
      ['kind: team\nname: [', 'Cannot read'],
      ['kind: budget\nteamName: A\nmonthlyBudgetUSD: many', 'body /monthlyBudgetUSD'],
      ['kind: schedule\nname: A', 'body /timezone: is required'],
      [
        'kind: role\nname: A\nreportScope: { all: false, teamIDs: ["${team:Nobody}"] }',
        '${team:Nobody} names a team that neither',
      ],
      ['kind: team\nname: "${tem:A}"', '${tem:A} is not a reference. References: ${team:...}'],
      ['kind: team\nname: "${env:NOT_THERE_AT_ALL}"', 'the environment variable NOT_THERE_AT_ALL is not set.'],
      ['kind: team\nname: before', 'document 2 and'],
    ]
    for (const [text, reason] of cases) {
      const at = file('wrong.yaml', before + text)
      const { code, stderr } = await failed('apply', at)
      expect(stderr, text).to.contain(reason)
      expect([code > 0, stderr.includes('wrong.yaml')], text).to.deep.equal([true, true])
    }
    const none = await failed('plan', path.join(folder, 'nowhere.yaml'))
    expect([none.code, none.stderr]).to.deep.equal([
      2,
      `tidemark policy plan: There is no file ${path.join(folder, 'nowhere.yaml')}.\n`,
    ])
    const teams = (await org.get('/teams')).body.data.items.map(({ name }: any) => name)
    expect(teams).to.deep.equal(['Platform'])
  })

  it('say how far they came when the product refuses one, and go on from there the next time', async () => {
    const channel = (url: string) =>
      `kind: team\nname: Late\n---\nkind: channel\nname: Late\ntype: slack\nconfig: { webhookURL: "${url}" }\n`
    const at = file('late.yaml', channel('ftp://hooks.example.com/a'))
    const half = await failed('apply', at)
    expect(half.code).to.equal(1)
    expect(half.stderr).to.match(/^tidemark policy apply: 1 of 2 changes were made\. create channel Late failed: /)
    file('late.yaml', channel('https://hooks.slack.com/services/T000/B000/YYYY'))
    expect(await tidemark('policy', 'apply', at, ...of)).to.deep.equal([
      { what: 'create', kind: 'channel', name: 'Late' },
    ])
  })

  it('refuse a name that several things have, and delete each of them if no file describes it', async () => {
    const night = { timezone: 'UTC', rules: [{ action: 'stop', cron: '0 20 * * *' }] }
    for (const name of ['Twice', 'twice']) await org.send('POST', '/schedules', { name, ...night })
    const twice = await failed('plan', file('twice.yaml', 'kind: schedule\nname: Twice\ntimezone: UTC\n'))
    expect([twice.code, twice.stderr]).to.deep.equal([
      2,
      `tidemark policy plan: ${path.join(folder, 'twice.yaml')}: there are several of the schedule Twice. Rename all but one.\n`,
    ])
    const other = file(
      'other.yaml',
      `kind: schedule\nname: Other\ntimezone: UTC\nrules: [{ action: stop, cron: "0 20 * * *" }]\n`,
    )
    await commanded('policy', 'apply', other, '--prune', '--yes', ...of)
    expect((await org.get('/schedules')).body.data.items.map(({ name }: any) => name)).to.deep.equal(['Other'])
  })

  it('take a policy as a JSON file without a kind, as "policy show" prints it', async () => {
    const spec = { priority: 5, teamFromTag: { key: 'team' } }
    const at = file('rule.json', JSON.stringify({ domain: 'allocation', name: 'By tag', spec }))
    expect(await tidemark('policy', 'apply', at, ...of)).to.deep.equal([
      { what: 'create', kind: 'policy', name: 'allocation / By tag' },
    ])
    expect(await tidemark('policy', 'apply', at, ...of)).to.deep.equal([])
  })
})
