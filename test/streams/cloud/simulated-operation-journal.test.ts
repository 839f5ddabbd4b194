import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { dayOf } from '#engine/value/day.ts'
import type { CloudAction, ActionOutcome, CloudAccount } from '#streams/cloud/connector.ts'
import { act } from '#streams/cloud/simulated/action/act.ts'
import { dayLines } from '#streams/cloud/simulated/bill/bill.ts'
import { simOf, type Far } from '#streams/cloud/simulated/state/cloud-state.ts'
import { Ledger, rememberedMax } from '#streams/cloud/simulated/state/ledger.ts'
import { lookAt } from '#streams/cloud/simulated/look.ts'
import { buildWorld } from '#streams/cloud/simulated/world/world.ts'
import { began, foreign, operated, outcome } from '#test/streams/cloud/operating.ts'
import { amount } from '#test/harness/tier.ts'

const at = '2026-03-16T10:30:00.000Z'
const world = buildWorld('tidemark', '2026-03-16')
const machine = { resourceUid: 'i-1', type: 'aws-ec2', region: 'us-east-1' }

/** The far side of a folder, whose clock is `time.now`. */
const farOf = (folder: string | undefined, time = { now: began }, between = () => {}): Far => ({
  now: () => {
    between()
    return new Date(time.now)
  },
  sleep: () => Promise.resolve(),
  world,
  ledger: new Ledger(folder),
})

describe('simulated cloud: journal of operations', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'simulated-cloud-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const file = () => path.join(folder, 'simulated-cloud.jsonl')
  /** Without who wrote them. */
  const lines = (): object[] =>
    readFileSync(file(), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((text) => {
        const { by, ...line } = JSON.parse(text)
        expect(by).to.be.a('string')
        return line
      })

  it('has one line of each, with its call and what it did', async () => {
    const { sim } = operated(folder)
    const specs = { iops: 3000, power_state: 'deallocated' }
    const vm = { ...machine, type: 'azure-vm' }
    await sim.act(foreign, { id: 'a', kind: 'resize', resource: machine, size: 'm5.large' })
    await sim.act(foreign, { id: 'b', kind: 'set', resource: vm, specs })
    await sim.act(foreign, { id: 'c', kind: 'snapshot', resource: machine })
    await sim.act(foreign, { id: 'd', kind: 'delete', resource: machine })
    await sim.act(foreign, { id: 'e', kind: 'delete', resource: machine })
    await sim.act(foreign, { id: 'd', kind: 'delete', resource: machine })
    await outcome(sim.act(foreign, { id: 'f', kind: 'resize', resource: machine, size: 'm5.large' }))
    const call = (id: string, kind: string, more: object = {}) => {
      const made = { call: kind, cloudAccountId: 'acct-2', resourceUid: 'i-1', id, outcome: 'ok', ...more }
      return { at, call: made }
    }
    const time = { asked: began, at: began }
    const effect = (id: string, alteration: object, more: object = {}) => {
      const did = { account: 'acct-2', uid: 'i-1', id, alteration: { ...time, ...alteration }, ...more }
      return { effect: { ...did, outcome: { status: 'succeeded' } } }
    }
    const change = { ...time, running: false }
    expect(lines()).to.deep.equal([
      { ...call('a', 'resize', { detail: { size: 'm5.large' } }), ...effect('a', { size: 'm5.large' }) },
      { ...call('b', 'set', { detail: { specs } }), ...effect('b', { specs }, { change }) },
      { ...call('c', 'snapshot'), ...effect('c', {}) },
      { ...call('d', 'delete'), ...effect('d', { gone: true }) },
      { ...call('e', 'delete'), ...effect('e', {}) },
      call('d', 'delete', { repeated: true }),
      call('f', 'resize', { detail: { size: 'm5.large' }, outcome: 'user_action' }),
    ])
    const { calls } = sim.callsSince()
    expect(calls.map(({ id, call: kind, detail }) => [id, kind, detail])).to.deep.equal([
      ['a', 'resize', { size: 'm5.large' }],
      ['b', 'set', { specs }],
      ['c', 'snapshot', undefined],
      ['d', 'delete', undefined],
      ['e', 'delete', undefined],
      ['d', 'delete', undefined],
      ['f', 'resize', { size: 'm5.large' }],
    ])
  })

  it('answers the same under the same id after the folder was opened anew, without a second effect', async () => {
    const first = operated(folder)
    await first.act('stop', 'shop-web-1')
    const again = (one: typeof first, size: string) => one.act('resize', 'shop-web-1', { id: 'once', size })
    const answer = await again(first, 'm5.large')
    await first.act('resize', 'shop-web-1', { id: 'other', size: 't3.large' })
    await first.act('delete', 'orders-db', { id: 'gone' })
    const second = operated(folder)
    expect(await again(second, 'm5.large')).to.deep.equal(answer)
    expect(await second.act('delete', 'orders-db', { id: 'gone' })).to.deep.equal(answer)
    expect((await second.look('shop-web-1')).instanceType).to.equal('t3.large')
    expect((await second.look('orders-db')).exists).to.equal(false)
    expect(second.sim.calls.filter(({ repeated }) => repeated).map(({ id }) => id)).to.deep.equal(['once', 'gone'])
  })

  it('knows by its id also how long what is under way still takes', async () => {
    const first = operated(folder)
    first.sim.faults.set({ faults: [{ call: 'snapshot', times: 1, settleSeconds: 60 }] })
    expect(await first.act('snapshot', 'orders-db', { id: 'a' })).to.deep.equal({ status: 'running' })
    const second = operated(folder)
    expect(await second.act('snapshot', 'orders-db', { id: 'a' })).to.deep.equal({ status: 'running' })
    second.pass(60)
    expect(await second.act('snapshot', 'orders-db', { id: 'a' })).to.deep.equal({ status: 'succeeded' })
  })

  it('has the effect of an id once when two processes ask for it at once', async () => {
    for (const kind of ['resize', 'set', 'snapshot', 'delete'] as const) {
      const action = (size: string): CloudAction => ({ id: kind, kind, resource: machine, size, specs: { size } })
      const other = farOf(folder)
      let raced: Promise<ActionOutcome> | undefined
      // The other acts wholly between what the first has seen and what it writes.
      const one = farOf(folder, { now: began }, () => (raced ??= act(other, foreign, action('second'))))
      expect([await act(one, foreign, action('first')), await raced], kind).to.deep.equal([
        { status: 'succeeded' },
        { status: 'succeeded' },
      ])
      const [first, second] = one.ledger.calls.filter((call) => call.id === kind)
      expect([first?.repeated, second?.repeated], kind).to.deep.equal([undefined, true])
      expect(other.ledger.log.alterations('acct-2', 'i-1').some(({ size }) => size === 'first')).to.equal(false)
      expect(lookAt(one, foreign, machine)).to.deep.equal(lookAt(farOf(folder), foreign, machine))
    }
  })

  it('reads what was written before there were operations', async () => {
    const change = { asked: began, at: began, running: false }
    const call = { call: 'stop', cloudAccountId: 'acct-2', resourceUid: 'i-1', id: 'old', outcome: 'ok' }
    const effect = { account: 'acct-2', uid: 'i-1', id: 'old', change, outcome: { status: 'succeeded' } }
    writeFileSync(file(), `\n${JSON.stringify({ by: 'x/1', at, call, effect })}\n`)
    appendFileSync(file(), `\n${JSON.stringify({ by: 'x/2', at, effect: { ...effect, id: 'older' } })}\n`)
    const { sim } = operated(folder)
    expect(await sim.look(foreign, machine)).to.deep.equal({ exists: true, status: 'stopped' })
    for (const id of ['old', 'older'])
      expect(await sim.act(foreign, { id, kind: 'stop', resource: machine })).to.deep.equal({ status: 'succeeded' })
    expect(await outcome(sim.act(foreign, { id: 'n', kind: 'resize', resource: machine, size: 'any' }))).to.equal('ok')
  })

  it('takes no more memory the more often specs are set, and keeps so many outcomes and calls', async () => {
    const far = farOf(undefined)
    const set = (n: number) =>
      act(far, foreign, { id: `a-${n}`, kind: 'set', resource: machine, specs: { [`key_${n % 7}`]: n } })
    for (let n = 0; n < rememberedMax + 50; n += 1) await set(n)
    expect(far.ledger.log.alterations('acct-2', 'i-1')).to.have.length(7)
    expect(far.ledger.calls).to.have.length(rememberedMax)
    const known = [0, 49, 50, rememberedMax].map((n) => far.ledger.outcomeOf('acct-2', `a-${n}`)?.status)
    expect(known).to.deep.equal([undefined, undefined, 'succeeded', 'succeeded'])
  })

  it('[property] is the same cloud after any 30 actions when it is opened anew, and when its journal was written shorter', async function () {
    this.timeout(180_000)
    const numRuns = amount(12, 200, 2000)
    let runs = 0
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const own = path.join(folder, String((runs += 1)))
      const time = { now: began }
      const far = farOf(own, time)
      for (const [index, one] of steps.entries()) {
        time.now += one.pass * 1000
        const plan = [{ call: '*' as const, times: 1, settleSeconds: one.settle }]
        if (one.settle > 0) far.ledger.note(() => ({ entry: { at: far.now(), plan } }))
        const { account, resource } = targets[one.target]!
        await outcome(act(far, account, { ...one, id: `a-${index % 25}`, resource }))
      }
      const before = stateOf(far)
      const opened = farOf(own, time)
      expect(stateOf(opened)).to.deep.equal(before)
      new Ledger(own, -1).close()
      expect(stateOf(farOf(own, time))).to.deep.equal(before)
      opened.ledger.catchUp()
      expect(stateOf(opened)).to.deep.equal(before)
      for (const { ledger } of [far, opened]) ledger.close()
    })
    await fc.assert(property, { numRuns, seed: 20260316 })
    expect(runs).to.equal(numRuns)
  })
})

const named = (name: string) => {
  const { uid, type, region, account } = [...world.byUid.values()].find((resource) => resource.name === name)!
  const { provider, externalId } = account
  const owner: CloudAccount = { ...foreign, id: 'acct-1', provider, externalId }
  return { account: owner, resource: { resourceUid: uid, type, region } }
}
const targets = [
  ...['shop-web-1', 'shop-web-1-disk', 'shop-edge', 'orders-db', 'shop-general', 'erp-app-1', 'sessionize'].map(named),
  { account: foreign, resource: machine },
  { account: foreign, resource: { resourceUid: 'vm', type: 'azure-vm', region: 'r' } },
  { account: foreign, resource: { resourceUid: 'job', type: 'gcp-dataflow-job', region: 'r' } },
]

const step = fc.record({
  target: fc.nat(targets.length - 1),
  kind: fc.constantFrom('start', 'stop', 'scale', 'pause', 'resize', 'set', 'snapshot', 'delete'),
  size: fc.constantFrom('m5.large', 't3.large', 'Standard_D2s_v5', 'none'),
  specs: fc.constantFrom(
    { power_state: 'stopped' },
    { power_state: 'deallocated', instance_type: 'm5.large' },
    { min_size: 1, note: [1] },
    { size_gb: 40, note: 'b' },
    { instanceType: 'gp2' },
  ),
  params: fc.record({ min: fc.nat(3), desired: fc.nat(5) }),
  pass: fc.constantFrom(0, 0, 60, 5400),
  settle: fc.constantFrom(0, 0, 90),
} satisfies Record<string, fc.Arbitrary<unknown>>)

/** All that can be asked of what the actions are about. */
function stateOf(far: Far) {
  const { log } = far.ledger
  const day = dayOf(far.now())
  const resources = targets.map(({ account, resource }) => ({
    looked: lookAt(far, account, resource),
    changes: log.changes(account.id, resource.resourceUid),
    alterations: log.alterations(account.id, resource.resourceUid),
  }))
  const answers = targets.flatMap(({ account }) =>
    Array.from({ length: 25 }, (_, n) => far.ledger.outcomeOf(account.id, `a-${n}`, far.now())),
  )
  const { account } = targets[0]!
  const bill = dayLines({ world, log, account, sim: simOf(far, account)! }, day)
  return { resources, answers, bill, planned: far.ledger.planned }
}
