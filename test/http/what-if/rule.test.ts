import { expect } from 'chai'
import { dayOf } from '#engine/value/day.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { findings, type Findings } from '#test/harness/findings.ts'
import { ask, colleague } from '#test/harness/people.ts'
import { tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const today = dayOf(Date.now())
const idle = 'RC-1001'
/** The rule of idle machines under an id of its own, for processors below so many per cent. */
const tried = (cpu: number) => {
  const { needs: _, alternativeTo: _no, ...rule } = ruleOf(idle)! as any
  return { ...rule, id: 'RC-9001', params: { ...rule.params, cpu_max_percent: cpu } }
}

describe('what other figures of rules would have found', () => {
  let f: Findings
  /** What it saves for 30 days. */
  let savings = 0

  const whatIf = async (change: object, more: object = {}) => {
    const { status, body } = await f.send('POST', '/what-if', { kind: 'rule', from: today, to: today, change, ...more })
    expect(status, JSON.stringify(body)).to.equal(200)
    return body.data
  }
  const errorsOf = async (change: object, more: object = {}) => {
    const { status, body } = await f.send('POST', '/what-if', { kind: 'rule', from: today, to: today, change, ...more })
    return [status, ...(body.errors ?? []).map((one: any) => one.name)]
  }
  const cents = (usd: number) => Math.round(usd * 100) / 100
  const one = () => ({ findings: 1, openDays: 1, savingsUsd: cents(savings / 30) })
  const none = { findings: 0, openDays: 0, savingsUsd: 0 }
  const item = (ruleId: string) => ({
    cloudAccountId: f.accountId,
    resourceUid: 'i-1',
    resourceName: 'i-1',
    resourceType: 'aws-ec2',
    ruleId,
    days: 1,
    firstDay: today,
    lastDay: today,
    savingsUsd: cents(savings / 30),
  })

  before(async () => {
    f = await findings()
    const id = await f.idle('i-1')
    savings = (await f.send('GET', `/recommendations/${id}/detail`)).body.data.savingsUsd
    // 0.384 an hour, always on.
    expect(savings).to.equal(276.48)
  })

  it('are those that were found, where nothing is otherwise', async () => {
    const { tookMs, ...told } = await whatIf({ ruleId: idle })
    expect(tookMs).to.be.at.least(0)
    expect(told).to.deep.equal({
      kind: 'rule',
      from: today,
      to: today,
      resources: 1,
      resourceDays: 1,
      before: one(),
      after: one(),
      othersUsd: 0,
      addedCount: 0,
      removedCount: 0,
      added: [],
      removed: [],
      byDay: [{ date: today, before: one(), after: one() }],
      byAccount: [{ cloudAccountId: f.accountId, before: one(), after: one() }],
      byResourceType: [{ resourceType: 'aws-ec2', before: one(), after: one() }],
      approximate: false,
      reasons: [],
    })
  })

  deepIt('list what a lower figure would no longer find', async () => {
    const stricter = await whatIf({ ruleId: idle, params: { cpu_max_percent: 1 } })
    expect([stricter.before, stricter.after, stricter.removed]).to.deep.equal([one(), none, [item(idle)]])
  })

  // The pure replay tests hold the same for random histories; each question here compiles a set of rules.
  deepIt('show what a disabled rule would no longer find, and what a new rule would find', async () => {
    const off = await whatIf({ ruleId: idle, enabled: false })
    expect([off.before, off.after, off.removedCount]).to.deep.equal([one(), none, 1])
    const others = { all: [{ attr: 'res.name', op: 'in', values: ['i-2'] }] }
    expect((await whatIf({ ruleId: idle, enabled: false, selector: others })).after).to.deep.equal(one())
    // It shares its group with the catalogue's, which stands before it: one of them is shown.
    const twice = await whatIf({ rule: { ...tried(5), exclusive: undefined } })
    expect([twice.before, twice.after.findings, twice.added[0].ruleId]).to.deep.equal([none, 1, 'RC-9001'])
    expect((await whatIf({ rule: tried(1) })).addedCount).to.equal(0)
  })

  deepIt('follow changed governance settings', async () => {
    const ofTags = await whatIf({ spec: { requiredTags: ['owner'] } }, { kind: 'governance' })
    expect(ofTags.kind).to.equal('governance')
    expect(ofTags.added.map((found: any) => [found.resourceUid, found.resourceType])).to.deep.include([
      'i-1',
      'aws-ec2',
    ])
    const optedOut = await whatIf({ spec: { optOutTag: '' } }, { kind: 'governance' })
    expect([optedOut.before, optedOut.after]).to.deep.equal([optedOut.before, optedOut.before])
  })

  deepIt('are of what a role sees, and of its own organization [RBAC-04]', async () => {
    const seeing = async (account: string) => {
      const reportScope = { all: false, cloudAccountIDs: [account] }
      const role = await f.send('POST', '/roles', { name: account, permissions: ['service.view'], reportScope })
      const { accessToken: token } = await colleague(f.owner, role.body.data.id)
      const body = { kind: 'rule', from: today, to: today, change: { ruleId: idle } }
      return (await ask('POST', '/what-if', { token, body })).body.data.before
    }
    expect([await seeing(f.accountId), await seeing('acct-none')]).to.deep.equal([one(), none])
    const body = { kind: 'rule', from: today, to: today, change: { ruleId: idle } }
    const foreign = (await (await tenant()).send('POST', '/what-if', body)).body.data
    expect([foreign.resources, foreign.reasons.length]).to.deep.equal([0, 1])
  })

  deepIt('cover the last 30 days by default', async () => {
    const { status, body } = await f.send('POST', '/what-if', { kind: 'rule', change: { ruleId: idle } })
    const { from, to, before: found, byDay, reasons } = body.data
    expect([status, to, found, byDay.length]).to.deep.equal([200, today, one(), 30])
    expect([from < to, reasons]).to.deep.equal([true, [`There are no sheets before ${today}.`]])
  })

  deepIt('say so where the days have no sheets', async () => {
    const told = await whatIf({ ruleId: idle }, { from: '2026-01-01', to: '2026-01-31' })
    expect([told.resources, told.approximate, told.byDay.length]).to.deep.equal([0, true, 31])
    expect(told.reasons[0]).to.match(/^No resource/)
  })

  it('refuse what no rule is, and say where', async () => {
    expect(await errorsOf({})).to.deep.equal([400, '/change'])
    expect(await errorsOf({ ruleId: 'RC-9999' })).to.deep.equal([404])
    expect(await errorsOf({ ruleId: idle, params: { cpu: 1 } })).to.deep.equal([400, '/change/params/cpu'])
    expect(await errorsOf({ ruleId: idle, params: { cpu_max_percent: 'x' } })).to.deep.equal([
      400,
      '/change/params/cpu_max_percent',
    ])
    expect(await errorsOf({ rule: { ...tried(5), id: idle } })).to.deep.equal([400, '/change/rule/id'])
    expect(await errorsOf({ rule: { id: 'RC-9001' } })).to.include(400)
    const matching = { ...tried(5), when: { attr: 'res.name', op: 'matches', values: ['(a+)+$'] } }
    expect(await errorsOf({ rule: matching })).to.deep.equal([400, '/change/rule/when/op'])
    expect(await errorsOf({ spec: { requiredTags: 'x' } }, { kind: 'governance' })).to.deep.equal([
      400,
      '/change/spec/requiredTags',
    ])
    expect(await errorsOf({ ruleId: idle, thresholds: {} })).to.deep.equal([400, '/change/thresholds'])
  })
})
